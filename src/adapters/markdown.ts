/**
 * Markdown as a chat means it → marked's tokens. A line that begins with a tag is a paragraph like any other: an answer
 * that says `<x>` has links and bold words behind it all the same.
 */
import { Lexer, Tokenizer, type Tokens, type TokensList } from "marked";

class ChatTokenizer extends Tokenizer {
  override html(source: string): Tokens.HTML | undefined {
    const token = super.html(source);
    // Scripts and such are code.
    if (!token || token.pre) return token;
    const text = token.raw.trimEnd();
    const paragraph: Tokens.Paragraph = {
      ...{ type: "paragraph", raw: token.raw, text },
      tokens: this.lexer.inline(text),
    };
    return paragraph as unknown as Tokens.HTML;
  }
}

export function tokensOf(text: string): TokensList {
  return new Lexer({ gfm: true, tokenizer: new ChatTokenizer() }).lex(text);
}
