/**
 * A Dockerfile as data: the instructions that ours uses, in the forms that ours uses. Everything else is an error,
 * because a step that is not understood would be a step that is not performed. Pure.
 */

export type Instruction =
  | { readonly _tag: "Workdir"; readonly path: string }
  | { readonly _tag: "Env"; readonly values: Readonly<Record<string, string>> }
  /** `from` names a stage; the context otherwise. */
  | {
    readonly _tag: "Copy"
    readonly from: string | undefined
    readonly sources: ReadonlyArray<string>
    readonly target: string
  }
  /** A command for `sh -c`. */
  | { readonly _tag: "Run"; readonly command: string }

export interface Stage {
  /** `node:24-slim` */
  readonly image: string
  readonly name: string | undefined
  readonly steps: ReadonlyArray<Instruction>
  readonly user: { readonly uid: number; readonly gid: number } | undefined
  readonly entrypoint: ReadonlyArray<string>
}

interface Drafted {
  image: string
  name: string | undefined
  steps: Array<Instruction>
  user: { readonly uid: number; readonly gid: number } | undefined
  entrypoint: ReadonlyArray<string>
}

const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const unknown = (line: string): Error =>
  new Error(`the Dockerfile has a line that is not understood, and would not be performed: ${line}`)

const environmentOf = (line: string, text: string): Readonly<Record<string, string>> => {
  const pairs = wordsOf(text).map((word) => /^(\w+)=([^"'\\$]*)$/.exec(word))
  return Object.fromEntries(pairs.map((pair) => {
    if (pair === null) throw unknown(line)
    return [pair[1] ?? "", pair[2] ?? ""]
  }))
}

const copyOf = (line: string, text: string): Instruction => {
  const words = wordsOf(text)
  const from = /^--from=(\w+)$/.exec(words[0] ?? "")?.[1]
  const paths = from === undefined ? words : words.slice(1)
  const target = paths.at(-1)
  if (paths.length < 2 || target === undefined || paths.some((path) => /^--|[*?[\]"'$]/.test(path))) throw unknown(line)
  return { _tag: "Copy", from, sources: paths.slice(0, -1), target }
}

const commandOf = (line: string, text: string): ReadonlyArray<string> => {
  const parsed: unknown = text.startsWith("[") ? JSON.parse(text) : undefined
  if (!Array.isArray(parsed)) throw unknown(line)
  return parsed.map((word: unknown) => {
    if (typeof word !== "string") throw unknown(line)
    return word
  })
}

const read = (stage: Drafted, line: string, instruction: string, text: string): void => {
  switch (instruction) {
    case "WORKDIR":
      return void stage.steps.push({ _tag: "Workdir", path: text })
    case "ENV":
      return void stage.steps.push({ _tag: "Env", values: environmentOf(line, text) })
    case "COPY":
      return void stage.steps.push(copyOf(line, text))
    case "RUN":
      if (/^\[|^--/.test(text)) throw unknown(line)
      return void stage.steps.push({ _tag: "Run", command: text })
    case "USER": {
      const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? []
      if (uid === undefined || gid === undefined) throw unknown(line)
      stage.user = { uid: Number(uid), gid: Number(gid) }
      return
    }
    case "ENTRYPOINT":
      stage.entrypoint = commandOf(line, text)
      return
    case "EXPOSE":
      // Says something, and does nothing.
      return
    case "STOPSIGNAL":
      if (text !== "SIGTERM") throw unknown(line)
      return
    default:
      throw unknown(line)
  }
}

/** The stages in order; the last is the image. Throws with the line that it does not understand. */
export const parseDockerfile = (contents: string): ReadonlyArray<Stage> => {
  const stages: Array<Drafted> = []
  for (const line of contents.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#")) continue
    const [, instruction = "", text = ""] = /^([A-Z]+)\s+(.*[^\\])$/.exec(line) ?? []
    const from = instruction === "FROM" ? /^(\S+)(?: AS (\w+))?$/.exec(text) : null
    const stage = stages.at(-1)
    if (from !== null) stages.push({ image: from[1] ?? "", name: from[2], steps: [], user: undefined, entrypoint: [] })
    else if (stage === undefined) throw unknown(line)
    else read(stage, line, instruction, text)
  }
  return stages
}
