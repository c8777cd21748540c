import { type Random, times } from "./random.js";
import { CHINESE, EMOJI, ENGLISH, JAPANESE, VIETNAMESE } from "./words.js";

export type Language = "en" | "zh" | "ja" | "vi";

const SPOKEN: Record<
  Language,
  { words: readonly string[]; join: string; stop: string; length: [number, number] }
> = {
  en: { words: ENGLISH, join: " ", stop: ". ", length: [5, 18] },
  vi: { words: VIETNAMESE, join: " ", stop: ". ", length: [5, 18] },
  zh: { words: CHINESE, join: "", stop: "。", length: [4, 12] },
  ja: { words: JAPANESE, join: "", stop: "。", length: [5, 12] },
};
const TOPIC_WORDS = 40;
/** Share of the words that belong to the text's topic. */
const ON_TOPIC = 0.45;

/** Generates the text of one session. Each method creates about `chars` characters. */
export class Text {
  readonly random: Random;
  readonly language: Language;
  readonly #topics: Record<Language, readonly string[]>;

  constructor(random: Random, language: Language) {
    this.random = random;
    this.language = language;
    const topic = (words: readonly string[]) => times(TOPIC_WORDS, () => random.zipf(words));
    this.#topics = { en: topic(ENGLISH), zh: topic(CHINESE), ja: topic(JAPANESE), vi: topic(VIETNAMESE) };
  }

  prose(chars: number, language: Language = this.language): string {
    const { random } = this;
    const { join, stop, length } = SPOKEN[language];
    let text = "";
    while (text.length < chars) {
      const sentence = times(random.between(...length), () => this.#word(language));
      text += sentence.join(join) + (random.chance(0.04) ? ` ${random.pick(EMOJI)}` : "") + stop;
      if (random.chance(0.12)) text += "\n\n";
    }
    return text.trimEnd();
  }

  code(chars: number): string {
    const name = () => this.#identifier();
    const word = () => this.#word("en");
    const lines = [
      () => `  const ${name()} = await ${name()}(${name()}, ${this.random.between(0, 999)});`,
      () => `  if (${name()}.${name()} !== ${name()}) throw new Error("${word()} ${word()}");`,
      () => `  for (const ${name()} of ${name()}.${name()}()) ${name()}.push({ ${name()}: true });`,
      () => `  // ${word()} ${word()} ${word()} ${word()}`,
      () => `  return ${name()}(${name()}) ?? null;`,
    ];
    let text = `\`\`\`ts\nexport async function ${name()}(${name()}: string): Promise<void> {\n`;
    while (text.length < chars) text += `${this.random.pick(lines)()}\n`;
    return `${text}}\n\`\`\``;
  }

  path(): string {
    const folder = this.random.pick(["src", "/usr/local/lib", "test", "/home/user/projects", "docs"]);
    const word = () => this.#word("en");
    return `${folder}/${word()}/${word()}-${word()}.${this.random.pick(["ts", "py", "md", "json"])}`;
  }

  /** Tool results: JSON with log lines, listings, a file, or a page of text. */
  toolOutput(chars: number): string {
    const { random } = this;
    const kind = random.next();
    const output =
      kind < 0.4
        ? this.#log(chars)
        : kind < 0.6
          ? this.#listing(chars)
          : kind < 0.8
            ? this.code(chars)
            : this.prose(chars, random.chance(0.3) ? this.language : "en");
    return JSON.stringify({ output, exit_code: random.chance(0.9) ? 0 : 1, error: null });
  }

  /** A few kinds of lines, repeated as in logs. */
  #log(chars: number): string {
    const { random } = this;
    const kinds = times(4, () => {
      const words = times(random.between(3, 9), () => this.#word("en")).join(" ");
      return `${random.pick(["INFO", "INFO", "DEBUG", "WARN", "ERROR"])} [${this.#word("en")}] ${words}`;
    });
    const day = `2026-0${random.between(1, 9)}-${random.between(10, 28)}T${random.between(10, 23)}`;
    let text = "";
    while (text.length < chars) {
      const at = `${day}:${random.between(10, 59)}:${random.between(10, 59)}Z`;
      text += `${at} ${random.pick(kinds)} took=${random.between(1, 900)}ms\n`;
    }
    return text;
  }

  #listing(chars: number): string {
    let text = "";
    while (text.length < chars)
      text += `-rw-r--r-- 1 user user ${this.random.between(100, 9999)} ${this.path()}\n`;
    return text;
  }

  #word(language: Language): string {
    return this.random.chance(ON_TOPIC)
      ? this.random.pick(this.#topics[language])
      : this.random.zipf(SPOKEN[language].words);
  }

  #identifier(): string {
    const [first, second] = [this.#word("en"), this.#word("en")];
    return this.random.chance(0.6) ? first : first + second[0]!.toUpperCase() + second.slice(1);
  }
}
