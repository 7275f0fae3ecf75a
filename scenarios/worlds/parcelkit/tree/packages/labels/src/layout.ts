export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Text {
  readonly at: Box
  readonly size: number
  readonly lines: readonly string[]
}

/** A label of 100 by 150 mm, in tenths of a millimetre. */
export const page: Box = { x: 0, y: 0, width: 1000, height: 1500 }

export function inset(box: Box, by: number): Box {
  return { x: box.x + by, y: box.y + by, width: box.width - 2 * by, height: box.height - 2 * by }
}

export function split(box: Box, ...shares: number[]): Box[] {
  const sum = shares.reduce((a, b) => a + b, 0)
  let y = box.y
  return shares.map((share) => {
    const height = Math.round((box.height * share) / sum)
    const part = { x: box.x, y, width: box.width, height }
    y += height
    return part
  })
}

/** Breaks a text into lines that fit, at spaces where there are some. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`
    if (longer.length <= columns) {
      line = longer
      continue
    }
    if (line !== "") {
      lines.push(line)
    }
    line = word
    while (line.length > columns) {
      lines.push(line.slice(0, columns))
      line = line.slice(columns)
    }
  }
  return line === "" ? lines : [...lines, line]
}

export function shrink(text: Text, columns: number): Text {
  const longest = Math.max(...text.lines.map((line) => line.length))
  return longest <= columns ? text : { ...text, size: Math.floor((text.size * columns) / longest) }
}
