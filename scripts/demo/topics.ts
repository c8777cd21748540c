import type { Talk } from "./conversations.js";

/** Title, question, answer: everyday conversations. */
const TOPICS: readonly [title: string, question: string, answer: string][] = [
  [
    "Tax return deadline",
    "When is the tax return due if I do it myself?",
    "At the end of **July** of the year after. With a tax adviser you get until the end of February.",
  ],
  [
    "Naming the new service",
    "Give me five names for a service that sends reminders",
    "Nudge, Ping-me, Tickler, Mindful, Bellboy. *Tickler* is an old office word for exactly that.",
  ],
  [
    "Postgres on the Raspberry Pi",
    "Can a Raspberry Pi 5 run Postgres for a family of four?",
    "Easily. Put the data on an SSD, not on the card, and make a dump every night.",
  ],
  [
    "Trains with a dog",
    "Does a dog need a ticket in regional trains?",
    "Small ones in a box ride free, others at half fare. On a leash and with a muzzle.",
  ],
  [
    "Retro of sprint 18",
    "What went well in sprint 18 according to our notes?",
    "Three things: the pager was silent, a new colleague read the docs, the demo worked the first time.",
  ],
  [
    "Spanish for the market",
    "How do I ask for a kilo of ripe tomatoes in Spanish?",
    "*Un kilo de tomates maduros, por favor.*",
  ],
  [
    "Vacuum of a WAL database",
    "May I VACUUM a SQLite file while others have it open?",
    "It wants the file alone. Use `auto_vacuum=INCREMENTAL` and give pages back in slices.",
  ],
  [
    "Birthday of Grandma",
    "What could we give to a person who turns 90 and has everything?",
    "Time: an afternoon with all grandchildren, and a book with their drawings.",
  ],
  [
    "Slack export",
    "How far back does the free Slack plan show messages?",
    "Ninety days. The export still contains all public channels.",
  ],
  [
    "Bike chain skips",
    "My bike chain skips in the two smallest gears",
    "The cassette is worn there. Measure the chain: over 0.75 % both are due.",
  ],
  [
    "Cover letter, second try",
    "Make this cover letter sound less like a machine",
    "I took out *passionate*, *leverage* and two adverbs. What is left is you.",
  ],
  [
    "Terraform state is locked",
    "terraform says the state is locked since yesterday",
    "If no other apply is running: `terraform force-unlock <id>`. The id is in the message.",
  ],
  [
    "Dinner for six",
    "Vegetarian dinner for six, one of them without gluten, 45 minutes",
    "A risotto with roasted pumpkin and sage. Rice has no gluten; check the stock cube.",
  ],
  [
    "CSS grid gaps",
    "Why does my grid overflow when a child has a long word?",
    "The column is `1fr`, which is `minmax(auto, 1fr)`. Say `minmax(0, 1fr)`.",
  ],
  [
    "Flight delay",
    "My flight was four hours late. What am I owed?",
    "Up to 1,500 km: 250 €. Not if it was the weather; a broken plane is no weather.",
  ],
  [
    "Kubernetes probes",
    "Should readiness and liveness be the same endpoint?",
    "No. *Alive* restarts you, *ready* only takes you out. A slow database must not restart you.",
  ],
  [
    "Piano practice plan",
    "I have 20 minutes a day for piano. How do I split them?",
    "Five for scales, ten for the hardest four bars, five for something that you already like.",
  ],
  [
    "Onboarding checklist",
    "Draft an onboarding checklist for a new backend developer",
    "Accounts, laptop, one small change in production on day two, a list of people and what to ask them.",
  ],
  [
    "Rust lifetimes",
    "Explain lifetimes with an example from a kitchen",
    "A spoon that you borrowed must go back before the drawer is closed. That is all a lifetime says.",
  ],
  [
    "Insurance letter",
    "Is this letter from the insurance a cancellation?",
    "No, it is a new price. You may cancel within a month after it because of that.",
  ],
  [
    "Webcam light",
    "Cheap way to get better light in video calls?",
    "A lamp behind the screen against a white wall. Windows belong in front of you, never behind.",
  ],
  [
    "Cron at month's end",
    "Cron expression for the last day of each month at 18:00",
    "`0 18 L * *` where L is understood; elsewhere run daily from 28 on and check the date.",
  ],
  [
    "Meeting with the bank",
    "What should I ask the bank about the loan?",
    "Fixed for how long, what paying back early costs, and what they would do in your place.",
  ],
  [
    "Logo feedback",
    "What did we decide about the logo?",
    "The second draft, without the shadow. Priya sends it to print on Friday.",
  ],
  [
    "Translating the menu",
    "Translate the menu into English, keep the prices",
    "Done. *Maultaschen* stays as it is, with a line that says what it is.",
  ],
  [
    "Memory leak in the worker",
    "RSS grows by 30 MB an hour in our worker",
    "Take two heap snapshots an hour apart and look at what only the second one has. My bet: listeners.",
  ],
  [
    "School project volcano",
    "How do we build a volcano that really erupts?",
    "Baking soda, vinegar, a drop of dish soap. Outside.",
  ],
  [
    "Git bisect",
    "How do I find the commit that broke the login?",
    "`git bisect start HEAD v2.3 && git bisect run npm test -- login`. It takes ten rounds for a thousand commits.",
  ],
  [
    "Houseplants and cats",
    "Which houseplants are safe with cats?",
    "Calathea, spider plant, areca palm. Never lilies.",
  ],
  [
    "Quarterly numbers",
    "Put the quarterly numbers into one paragraph",
    "Revenue is up by 8 %, costs by 3 %. Support is faster although there are more tickets.",
  ],
  [
    "Marathon in October",
    "Is 16 weeks enough for a marathon if I run 20 km a week?",
    "Just enough. Add ten per cent a week and take every fourth week easy.",
  ],
  [
    "Redis or Postgres queue",
    "Do we need Redis for a job queue of 50 jobs a second?",
    "No. `SELECT … FOR UPDATE SKIP LOCKED` does that on the side.",
  ],
  [
    "Moving house",
    "What do people forget when they move?",
    "The mail forwarding, the meter readings, and to defrost the fridge.",
  ],
  [
    "API pagination",
    "Cursor or offset pagination for our public API?",
    "Cursors: an offset skips rows when something is inserted, and gets slower with each page.",
  ],
  [
    "Wedding speech",
    "Help me begin my speech, he's my brother",
    "Begin with the smallest story that only you know. Not with *for those who don't know me*.",
  ],
  [
    "E-mail to support",
    "Write to the support: the coffee machine leaks, bought in May",
    "Short and with a date: bought on the 3rd of May, leaks since Monday, photo attached, please repair.",
  ],
];

export const SMALL_TALKS: readonly Talk[] = TOPICS.map(([title, question, answer]) => ({
  title,
  lines: [
    { who: "user", text: question },
    { who: "bot", text: answer },
    { who: "user", text: "Thanks!" },
    { who: "bot", text: "You're welcome." },
  ],
}));
