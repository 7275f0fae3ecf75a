export interface Args {
  readonly command: string
  readonly flags: ReadonlyMap<string, string>
  readonly rest: readonly string[]
}

export class UsageError extends Error {}

const commands = ["quote", "label", "track", "help"] as const

export function parseArgs(argv: readonly string[]): Args {
  const [command = "help", ...others] = argv
  if (!commands.includes(command as (typeof commands)[number])) {
    throw new UsageError(`there is no command ${command}: use one of ${commands.join(", ")}`)
  }
  const flags = new Map<string, string>()
  const rest: string[] = []
  for (let i = 0; i < others.length; i++) {
    const word = others[i] as string
    if (!word.startsWith("--")) {
      rest.push(word)
      continue
    }
    const [name, value] = word.slice(2).split("=", 2) as [string, string?]
    flags.set(name, value ?? others[++i] ?? "true")
  }
  return { command, flags, rest }
}

export function need(args: Args, name: string): string {
  const value = args.flags.get(name)
  if (value === undefined) {
    throw new UsageError(`--${name} is missing`)
  }
  return value
}
