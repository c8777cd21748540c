/** Sample conversations for screenshots and dashboard tests. */

export interface Line {
  who: "user" | "bot" | "tool";
  text: string;
  /** A tool call before the text. */
  call?: { name: string; arguments: object };
}

export interface Talk {
  title: string;
  lines: readonly Line[];
}

const user = (text: string): Line => ({ who: "user", text });
const bot = (text: string): Line => ({ who: "bot", text });
const calls = (name: string, args: object, text = ""): Line => ({
  who: "bot",
  text,
  call: { name, arguments: args },
});
const gives = (text: string): Line => ({ who: "tool", text });

export const TALKS: readonly Talk[] = [
  {
    title: "Deploying the blog with Docker",
    lines: [
      user("My blog's container keeps restarting after the deploy. Where do I look first?"),
      bot(
        "Look at why it ended before anything else:\n\n```sh\ndocker inspect --format '{{.State.ExitCode}} {{.State.OOMKilled}}' blog\ndocker logs --tail 50 blog\n```\n\nExit code **137** with `OOMKilled: true` means that the memory limit is too low; **1** usually means a failing start script.",
      ),
      user("137 and OOMKilled true"),
      bot(
        "Then raise the limit in the compose file, or let the build use less:\n\n- `mem_limit: 768m` for the service\n- `NODE_OPTIONS=--max-old-space-size=512` for the build\n\nA static blog rarely needs more than that once it runs.",
      ),
      user("That was it, thank you!"),
      bot("Glad it runs. Keep the limit where it is and look at `docker stats` in a week."),
    ],
  },
  {
    title: "Weekend in the Harz",
    lines: [
      user("We have two days, a dog and no car. Where should we hike in the Harz?"),
      calls("session_search", { query: "hiking dog train" }),
      gives(
        '{"hits": 2, "sessions": [{"title": "Trains with a dog", "snippet": "…a dog rides at half fare in regional trains…"}]}',
      ),
      bot(
        "**Wernigerode** works well without a car:\n\n1. Day one: Wernigerode → Steinerne Renne → Ottofels, 11 km along the water.\n2. Day two: narrow-gauge train to Drei Annen Hohne, back on foot over the Ilsestein.\n\nLast time you asked about trains: the dog rides at half fare in regional ones.",
      ),
      user("And if it rains?"),
      bot("Then swap day two for the caves in Rübeland. Dogs on a leash are allowed in the Baumannshöhle."),
    ],
  },
  {
    title: "Reading list on distributed systems",
    lines: [
      user("Which three papers on distributed systems should I read first, and why these?"),
      bot(
        "| paper | why first |\n|---|---|\n| Time, Clocks (Lamport) | gives you *happened before* |\n| The Google File System | shows what a team gives up, and says so |\n| In Search of an Understandable Consensus Algorithm | consensus that you can draw on paper |\n\nRead them in this order: each uses a word that the one before explained.",
      ),
      user("How long will that take me?"),
      bot("About two evenings each if you draw the diagrams yourself. Skip the proofs the first time."),
    ],
  },
  {
    title: "Standup notes",
    lines: [
      user("Summarise what we said about the release so far"),
      calls("session_search", { query: "release blocker", limit: 5 }),
      gives(
        '{"hits": 3, "sessions": [{"title": "Release 2.4", "snippet": "…migration takes 40 minutes on staging…"}]}',
      ),
      bot(
        "Three things stand between us and the release:\n\n- the migration takes 40 minutes on staging, ten is what we promised\n- the French texts are missing on the checkout page\n- the rollback is untested",
      ),
      user("Remind Priya about the rollback tomorrow"),
      calls("memory", { action: "add", text: "Priya tries the rollback of release 2.4" }),
      gives('{"ok": true}'),
      bot("Noted: **Priya tries the rollback**. I'll bring it up tomorrow morning."),
    ],
  },
  {
    title: "Sourdough that doesn't rise",
    lines: [
      user("My sourdough stays flat. 75 % hydration, 20 °C kitchen, 4 hours of bulk."),
      bot(
        "Four hours at 20 °C are too few. At that temperature bulk takes **7 to 9 hours** until the dough has grown by half.\n\nMark the level with a rubber band and go by that, not by the clock.",
      ),
      user("And the starter? I feed it every three days."),
      bot(
        "Feed it twice in the day before baking, 1:2:2. It should double within five hours before you use it.",
      ),
    ],
  },
  {
    title: "Regular expression for invoices",
    lines: [
      user("I need a regex for invoice numbers like INV-2026-00123, but not INV-26-123"),
      bot(
        "```js\n/\\bINV-\\d{4}-\\d{5}\\b/g\n```\n\n`\\b` on both sides keeps it from matching inside of longer words.",
      ),
      user("works, thanks"),
    ],
  },
  {
    title: "Garden plan for April",
    lines: [
      user("What can I sow outside in April in zone 7b?"),
      bot("Peas, spinach, radishes, carrots and onions. Tomatoes and basil stay inside until mid May."),
      user("Make me a week by week list"),
      bot(
        "**Week 1** peas, spinach\n\n**Week 2** radishes, onions\n\n**Week 3** carrots, second spinach\n\n**Week 4** chard, second radishes",
      ),
    ],
  },
  {
    title: "Nightly report",
    lines: [
      user("Check the nightly build and report what failed"),
      calls("http_fetch", { url: "https://ci.example/builds/latest" }),
      gives('{"status": "failed", "failed": ["checkout.spec.ts", "rates.spec.ts"], "duration_s": 1284}'),
      bot(
        "Two of 412 tests failed: `checkout.spec.ts` and `rates.spec.ts`. Both time out while they wait for the mail server.",
      ),
    ],
  },
  {
    title: "Letter to the landlord",
    lines: [
      user("Help me write a letter to my landlord, the heating has been off for a week"),
      bot(
        "> Dear Ms Berger,\n>\n> the heating in our flat has not worked since the third of the month. I reported it by telephone on the fourth. Please have it repaired by the twelfth.\n>\n> Kind regards",
      ),
      user("A bit friendlier please"),
      bot(
        "> Dear Ms Berger,\n>\n> could you help us? The heating has been off since the third, and it is getting cold. A date for the repair this week would be wonderful.\n>\n> Kind regards",
      ),
    ],
  },
  {
    title: "Choosing a laptop",
    lines: [
      user("Which laptop for a student who compiles Rust all day? Budget 1200"),
      bot(
        "Cores and memory before everything else: **8 cores, 32 GB**. A used business laptop of last year gives you both within the budget.",
      ),
      user("Linux support?"),
      bot("Look for certified models; avoid the newest wireless chips for half a year."),
    ],
  },
  {
    title: "Slow query in the orders table",
    lines: [
      user("SELECT * FROM orders WHERE status = 'open' ORDER BY created_at takes 4 seconds. 9 million rows."),
      bot(
        "A partial index does it:\n\n```sql\nCREATE INDEX orders_open ON orders (created_at) WHERE status = 'open';\n```\n\nOpen orders are few, so the index stays small and is already in the right order.",
      ),
      user("4 s → 3 ms. Wow."),
      bot(
        "That is the sort that went away. Select the columns that you need and it may become an index-only scan.",
      ),
    ],
  },
];

/** A long project: compressed twice, branched once, with one delegated session. */
export const PROJECT: readonly Talk[] = [
  {
    title: "Moving the shop to TypeScript",
    lines: [
      user("We want to move our shop from JavaScript to TypeScript without stopping. Where do we begin?"),
      bot(
        "With `allowJs` and a strict config for new files only. Then move leaf modules first: prices, dates, formatting.",
      ),
      user("The cart module imports everything"),
      calls("read_file", { path: "src/cart/index.js" }),
      gives("import { session } from '../session'; import { prices } from '../prices'; … 1,204 more lines"),
      bot(
        "Split it along what it *decides* and what it *does*. The decisions become pure functions, and those are easy to type.",
      ),
    ],
  },
  {
    title: "Moving the shop to TypeScript #2",
    lines: [
      bot(
        "*Summary so far:* leaf modules are moved, the cart is split into decisions and effects, 214 files are left.",
      ),
      user("Now the checkout. It has no tests."),
      bot(
        "Then write them first, against the running page. Ten paths cover it: I'd begin with the discount codes.",
      ),
      user("Done, all ten pass"),
      bot("Good. Now the types can follow the tests instead of leading them."),
    ],
  },
  {
    title: "Moving the shop to TypeScript #3",
    lines: [
      bot(
        "*Summary so far:* checkout has ten end-to-end tests and is typed; 38 files are left, most of them mail templates.",
      ),
      user("Can the rest wait until after the sale?"),
      bot("Yes. Freeze it here: turn `allowJs` off for `src/checkout` and leave the templates for January."),
    ],
  },
];

export const BRANCH: Talk = {
  title: "The shop, in small steps instead",
  lines: [
    user("What if we only typed the API between front and back, and left the rest?"),
    bot(
      "Then you get most of the worth for a tenth of the work. Generate the types from the schema and check them in CI.",
    ),
  ],
};

export const DELEGATED: Talk = {
  title: "List all discount codes in the tests",
  lines: [
    user("List every discount code that the checkout tests use"),
    calls("grep", { pattern: "DISCOUNT_", path: "test/checkout" }),
    gives("DISCOUNT_TEN, DISCOUNT_FREE_SHIPPING, DISCOUNT_STAFF"),
    bot("Three: `DISCOUNT_TEN`, `DISCOUNT_FREE_SHIPPING`, `DISCOUNT_STAFF`."),
  ],
};

/** Short everyday questions with answers. */
export const REMARKS: readonly [asked: string, answer: string][] = [
  ["What's on my calendar today?", "Two things: the dentist at ten and the release review at three."],
  ["Translate: the parcel arrives on Thursday", "*Das Paket kommt am Donnerstag.*"],
  ["Is the build green again?", "Since 14:02, yes. The flaky checkout test was the last one."],
  ["Shorten this to two sentences please", "The migration is ready. It needs ten minutes and your go."],
  ["Which port does Postgres use?", "5432 by default."],
  ["Remind me at five to call the dentist", "I will."],
  ["What did we decide about the logo?", "The second draft, without the shadow."],
  ["Convert 3.5 cups of flour to grams", "About 420 g."],
  [
    "Write a haiku about merge conflicts",
    "Two truths in one file,\narrows point left and then right.\nWho was here before?",
  ],
  [
    "How do I undo the last commit but keep the changes?",
    "`git reset --soft HEAD~1`. Your changes stay staged, only the commit is gone.",
  ],
  ["Summarise the thread above", "Everyone agrees on Friday; only the room is open."],
  ["Any news on the invoice from March?", "It was paid on the 2nd."],
];

export const PEOPLE: Record<string, readonly { id: string; name: string }[]> = {
  telegram: [
    { id: "481516234", name: "Ann Berger" },
    { id: "733104882", name: "Tomás Oliveira" },
    { id: "902117345", name: "Mei Tanaka" },
  ],
  discord: [
    { id: "281474976710656001", name: "kestrel" },
    { id: "281474976710656002", name: "Jonas W." },
  ],
  slack: [
    { id: "U04PRIYA7", name: "Priya Raman" },
    { id: "U04LEOK21", name: "Léo Kessler" },
    { id: "U04SAMD93", name: "Sam Doyle" },
  ],
  web: [{ id: "web-5e1f0c2a", name: "A browser" }],
  cron: [{ id: "cron", name: "Schedules" }],
  cli: [{ id: "ann", name: "ann" }],
};
