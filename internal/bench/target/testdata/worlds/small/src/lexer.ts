const width = 1

export function lex(text: string): string[] {
  return text.split(" ")
}

export class Lexer {
  next() {
    return width
  }
}
