/**
 * Markdown → marked's tokens, in time that grows with the length of the text. A parser compares each mark of a paragraph with
 * all of its others and reads each level of nesting again. So there are limits that no author reaches: beyond them the
 * paragraph, the nested block or the whole text is plain text. Pure.
 */
import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

/** Of one paragraph, table cell or list item. */
const MAX_MARKS = 500;
/** What the parser may compare in all paragraphs together: the squares of their numbers of marks. */
const MAX_WORK = 4_000_000;
/** So few are always parsed. */
const FEW_MARKS = 20;
/** Quotes in lists in quotes. */
const MAX_DEPTH = 10;
/** Lines that may be items of lists or rows of tables. */
const MAX_ROWS = 5000;
/** More than twenty messages on most platforms. Parsing one answer must not hold up the others. */
const MAX_MARKDOWN_CHARS = 100_000;

export function tokensOf(markdown: string): Token[] {
  if (markdown.length > MAX_MARKDOWN_CHARS || hasManyRows(markdown)) return [textToken(markdown)];
  return new ChatLexer({ gfm: true, tokenizer: new ChatTokenizer() }).lex(markdown);
}

const ROW = /^[ \t]*(?:[-+*|]|\d{1,9}[.)])/gm;

function hasManyRows(markdown: string): boolean {
  return (markdown.match(ROW) ?? []).length > MAX_ROWS;
}

class ChatLexer extends Lexer {
  #depth = 0;
  #work = 0;

  override blockTokens(source: string, tokens: Token[] = [], isClipped?: boolean): never {
    if (this.#depth >= MAX_DEPTH) return withText(tokens, source) as never;
    this.#depth += 1;
    try {
      return super.blockTokens(source, tokens, isClipped) as never;
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    return this.#isTooMuch(source) ? withText(tokens, source) : super.inlineTokens(source, tokens);
  }

  #isTooMuch(source: string): boolean {
    if (source.length <= FEW_MARKS) return false;
    const marks = (source.match(MARKS) ?? []).length;
    this.#work += marks * marks;
    return marks > MAX_MARKS || (marks > FEW_MARKS && this.#work > MAX_WORK);
  }
}

const MARKS = /[*_~\\`[<@]/g;

function withText(tokens: Token[], source: string): Token[] {
  tokens.push(textToken(source));
  return tokens;
}

function textToken(text: string): Tokens.Text {
  return { type: "text", raw: text, text, escaped: false };
}

/** A line that begins with a tag is an ordinary paragraph: links and bold words in it count. */
class ChatTokenizer extends Tokenizer {
  override html(source: string): Tokens.HTML | undefined {
    const token = super.html(source);
    // Scripts and styles stay as they are.
    if (!token || token.pre) return token;
    const text = token.raw.trimEnd();
    const paragraph: Tokens.Paragraph = {
      ...{ type: "paragraph", raw: token.raw, text },
      tokens: this.lexer.inline(text),
    };
    return paragraph as unknown as Tokens.HTML;
  }
}
