import Database from "better-sqlite3";
const db = new Database("/tmp/benchpair/ours.db", { readonly: true });
const pl = new Database("/tmp/benchpair/plain.db", { readonly: true });
function t(name: string, f: () => unknown, n = 9) { const a: number[] = []; let r: unknown; for (let i=0;i<n;i++){const s=performance.now(); r=f(); a.push(performance.now()-s);} a.sort((x,y)=>x-y); console.log(name.padEnd(44), a[n>>1]!.toFixed(2), Array.isArray(r)?r.length:""); return r as number[]; }
for (const q of ["the", "zanzibarium", '"docker build"', "deplo*", "kubernetes OR postgres", "python NOT java"]) {
  console.log("==", q, db.prepare("select count(*) from messages_fts where messages_fts match ?").pluck().get(q));
  t("naive ids only, plain", () => pl.prepare(`SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT 20`).pluck().all(q));
  t("naive ids+snippet+join, plain", () => pl.prepare(`SELECT m.id, snippet(messages_fts,0,'>>>','<<<','...',40), m.content FROM messages_fts JOIN messages m ON m.id=messages_fts.rowid JOIN sessions s ON s.id=m.session_id WHERE messages_fts MATCH ? ORDER BY rank LIMIT 20`).pluck().all(q));
  t("rank ids, ours", () => db.prepare(`SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT 20`).pluck().all(q));
  const ids = t("bm25 topN ids, ours", () => db.prepare(`SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY bm25(messages_fts) LIMIT 20`).pluck().all(q));
  t("rank ids+snippet one pass, ours", () => db.prepare(`SELECT m.id, snippet(messages_fts,0,'>>>','<<<','...',40) FROM messages_fts CROSS JOIN messages m ON m.id=messages_fts.rowid CROSS JOIN sessions s ON s.id=m.session_id WHERE messages_fts MATCH ? AND m.active=1 ORDER BY rank LIMIT 20`).pluck().all(q));
  t("range snippets", () => db.prepare(`SELECT rowid, snippet(messages_fts,0,'>>>','<<<','...',40) FROM messages_fts WHERE messages_fts MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (${ids.join(",")})`).raw().all(q, Math.min(...ids), Math.max(...ids)));
  const one = db.prepare(`SELECT rowid, snippet(messages_fts,0,'>>>','<<<','...',40) FROM messages_fts WHERE messages_fts MATCH ? AND rowid = ?`).raw();
  t("seek snippets", () => ids.map(id => one.all(q, id)));
  t("count only", () => db.prepare(`SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?`).pluck().all(q));
}
db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.v USING fts5vocab(main, messages_fts_trigram, row)");
for (const q of ["部署","我们"]) {
  const terms = t("terms of "+q, () => db.prepare("SELECT term FROM v WHERE term >= ? AND term < ?").pluck().all(q, q+"\u{10ffff}")) as unknown as string[];
  const m = terms.map(x=>`"${x.replaceAll('"','""')}"`).join(" OR ");
  t("match OR ids", () => db.prepare("SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?").pluck().all(m));
  t("instr over content backwards", () => db.prepare(`SELECT m.id FROM messages m CROSS JOIN sessions s ON s.id=m.session_id WHERE m.active=1 AND instr(m.content, ?)>0 ORDER BY m.timestamp DESC LIMIT 20`).pluck().all(q));
  t("instr over trigram content desc", () => db.prepare(`SELECT id FROM messages_fts_trigram_content WHERE instr(c0, ?)>0 ORDER BY id DESC LIMIT 20`).pluck().all(q));
  t("instr over trigram content all", () => db.prepare(`SELECT id FROM messages_fts_trigram_content WHERE instr(c0, ?)>0`).pluck().all(q),3);
  t("naive like", () => pl.prepare(`SELECT m.id,m.content FROM messages m JOIN sessions s ON s.id=m.session_id WHERE m.content LIKE ? OR m.tool_name LIKE ? OR m.tool_calls LIKE ? ORDER BY m.timestamp DESC LIMIT 20`).pluck().all(`%${q}%`,`%${q}%`,`%${q}%`),3);
}
