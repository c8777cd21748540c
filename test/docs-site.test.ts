import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDiagram } from "../scripts/docs/diagram/parse.js";
import { diagramSvg } from "../scripts/docs/diagram/svg.js";
import { buildSite } from "../scripts/docs/site.js";
import { slugger } from "../scripts/docs/slug.js";
import { forSeveral } from "./support/at-end.js";
import { tempDir } from "./support/temp.js";

/** The built site of `docs/`, as files. */

const ROOT = path.resolve(import.meta.dirname, "..");

describe("the site of the documents", () => {
  const files = new Map<string, string>();
  let out: string;
  let end: () => Promise<void>;

  beforeAll(async () => {
    const folder = await forSeveral(async () => tempDir());
    end = folder.end;
    out = path.join(folder.made, "site");
    buildSite(ROOT, out);
    const names = fs.readdirSync(out, { recursive: true, withFileTypes: true });
    for (const entry of names.filter((one) => one.isFile())) {
      const full = path.join(entry.parentPath, entry.name);
      files.set(path.relative(out, full), entry.name.endsWith(".html") ? fs.readFileSync(full, "utf8") : "");
    }
  });

  afterAll(() => end());

  const pages = () => [...files].filter(([name]) => name.endsWith(".html"));

  it("has no broken link, anchor, picture or script", () => {
    const ids = new Map(pages().map(([name, html]) => [name, idsOf(html)]));
    const broken = pages().flatMap(([name, html]) =>
      [...html.matchAll(/<[^>]* (?:href|src)="([^"]+)"/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^(?:https?|mailto):/.test(link))
        .filter((link) => !leads(link, name, ids))
        .map((link) => `${name}: ${link}`),
    );
    expect(pages().length).toBeGreaterThan(40);
    expect(broken).toEqual([]);
  });

  function leads(link: string, from: string, ids: ReadonlyMap<string, string[]>): boolean {
    const [target = "", anchor] = link.split("#");
    const name = target === "" ? from : path.posix.join(path.posix.dirname(from), target);
    return files.has(name) && (anchor === undefined || (ids.get(name)?.includes(anchor) ?? false));
  }

  it("obeys the policy of the daemon: nothing inline, nothing from elsewhere", () => {
    const wrong = pages().flatMap(([name, html]) => {
      const outside = html.replace(/<pre[\s\S]*?<\/pre>/g, "");
      const found = outside.match(
        /<script(?![^>]* src=)|<style|<[^>]* (?:style|on\w+)=|<[^>]* src="https?:/g,
      );
      return (found ?? []).map((what) => `${name}: ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  it("names each id once on a page", () => {
    const twice = pages().flatMap(([name, html]) => {
      const ids = idsOf(html);
      return ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${name}#${id}`);
    });
    expect(twice).toEqual([]);
  });

  it("has a search index whose addresses exist", () => {
    const [name] = [...files.keys()].filter((file) => /^assets\/search-\w+\.json$/.test(file));
    const rows = JSON.parse(fs.readFileSync(path.join(out, name!), "utf8")) as string[][];
    expect(rows.length).toBeGreaterThan(200);
    expect(rows.filter(([address]) => !files.has(address!.split("#")[0]!))).toEqual([]);
    expect(rows).toContainEqual(
      expect.arrayContaining(["sessions.html#rooms", "Sessions and keys", "Rooms"]),
    );
  });

  it("leads from each page to the next", () => {
    const html = files.get("tutorial.html")!;
    expect(html).toMatch(
      /<a rel="next" href="setup-and-doctor.html"><span>Next<\/span> Setup, status, doctor<\/a>/,
    );
    expect(html).toContain('<a href="tutorial.html" aria-current="page">Tutorial</a>');
  });
});

function idsOf(html: string): string[] {
  return [...html.matchAll(/<[^>]* id="([^"]+)"/g)].map(([, id]) => id!);
}

describe("ids of headings", () => {
  it("are those of code hosts", () => {
    const slug = slugger();
    expect(["Who may use a tool", "`hermes setup`", "Über `x_y`, z", "Keys", "Keys"].map(slug)).toEqual([
      "who-may-use-a-tool",
      "hermes-setup",
      "über-x_y-z",
      "keys",
      "keys-1",
    ]);
  });
});

describe("diagrams", () => {
  const TEXT = "title: T\nbox: a = A <b> / second\ndisk: c = C\nrow: a c\na -> c: goes";

  it("become SVG with a title, boxes, lines and labels", () => {
    const svg = diagramSvg(TEXT, "try");
    expect(svg).toContain('<title id="try-title">T</title>');
    expect(svg).toContain("A &lt;b&gt;");
    expect(svg.match(/<rect class="(?:box|disk)"/g)).toHaveLength(2);
    expect(svg.match(/<path class="line"/g)).toHaveLength(1);
    expect(svg).toContain(">goes</text>");
  });

  it.each([
    ["an invalid line", `${TEXT}\nwhat?`, "Line 6 of the diagram is invalid: what?"],
    ["an arrow to nowhere", `${TEXT}\na -> d`, "The diagram has no box d"],
    ["a box without a place", `${TEXT}\nbox: d = D`, "The diagram must place once: d"],
    ["no title", TEXT.replace("title: T\n", ""), "The diagram has no title"],
  ])("report %s", (_, text, message) => {
    expect(() => parseDiagram(text)).toThrow(message);
  });
});
