/**
 * Secrets that a vault has written to files beside the process (CONFIG-6): KEY=VALUE lines with optional `export` and
 * quotes, parsed and never executed. The environment takes precedence.
 *
 * Not dotenv: its parsers cut an unquoted value at a `#` and skip lines that they do not understand. A half-read secret
 * is worse than none. Here every line is a variable, a comment, empty, or a problem.
 */
import { ConfigProvider, Effect, Layer, Result, Schema } from "effect"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { ConfigurationInvalid, Problem } from "./Variables.ts"
import type { Variable } from "./Variables.ts"

const assignment = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/
const singleQuoted = /^'([^']*)'$/
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"$/
const bare = /^[^'"\\\s]*$/

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** Undefined for unclosed quotes, and for text that a shell would join or expand. */
const valueOf = (text: string): string | undefined => {
  const literal = singleQuoted.exec(text)?.[1]
  if (literal !== undefined) return literal
  const quoted = doubleQuoted.exec(text)?.[1]
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped)
  return bare.test(text) ? text : undefined
}

type Secret = readonly [name: string, value: string]

const parseLine = (line: string): Secret | undefined => {
  const [, name, text] = assignment.exec(line) ?? []
  const value = text === undefined ? undefined : valueOf(text.trim())
  return name === undefined || value === undefined ? undefined : [name, value]
}

/** The variables of a file. A problem names the file and the line, and quotes nothing. */
export const parseSecrets = (file: string, contents: string): Result.Result<ReadonlyArray<Secret>, Problem> => {
  const secrets: Array<Secret> = []
  for (const [index, line] of contents.split(/\r\n?|\n/).map((each) => each.trim()).entries()) {
    if (line === "" || line.startsWith("#")) continue
    const secret = parseLine(line)
    if (secret === undefined) {
      return Result.fail(
        new Problem({
          message: `${file}, line ${
            index + 1
          }: expected NAME=VALUE, quoted where the value has spaces, quotes or backslashes`
        })
      )
    }
    secrets.push(secret)
  }
  return Result.succeed(secrets)
}

/** Mounted secrets have links and folders beside them whose names start with a dot. */
const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted()
  const files = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).isFile() ? [name] : []))
  return files.flat()
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/** Undefined when there is no such folder. */
const readAll = async (
  folder: string
): Promise<ReadonlyArray<readonly [file: string, contents: string]> | undefined> => {
  try {
    const names = await filesIn(folder)
    return await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** All variables of all files of a folder. Undefined when it does not exist. Fails with `ConfigurationInvalid`. */
const readFolder = Effect.fnUntraced(function*(folder: string) {
  const files = yield* Effect.tryPromise({
    try: () => readAll(folder),
    catch: () => new ConfigurationInvalid({ problems: [`${folder} cannot be read`] })
  })
  if (files === undefined) return undefined
  const parsed = files.map(([file, contents]) => parseSecrets(join(folder, file), contents))
  const all = parsed.flatMap((each) => Result.isSuccess(each) ? each.success : [])
  const names = all.map(([name]) => name)
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  const problems = [
    ...parsed.flatMap((each) => Result.isFailure(each) ? [each.failure.message] : []),
    ...twice.map((name) => `${folder} has ${name} twice`)
  ]
  return problems.length > 0 ? yield* new ConfigurationInvalid({ problems }) : Object.fromEntries(all)
})

/** All variables of all files of the folder. Empty when it does not exist. Fails with `ConfigurationInvalid`. */
export const readSecrets = Effect.fn("configuration.secrets")(function*(folder: string) {
  return (yield* readFolder(folder)) ?? {}
})

/** A folder that is configured has to exist. */
const readNamed = Effect.fn("configuration.secrets")(function*(folder: string) {
  const secrets = yield* readFolder(folder)
  return secrets ??
    (yield* new ConfigurationInvalid({ problems: [`${secretsFolder.name} names a folder that is not there`] }))
})

const USUAL_FOLDER = "/vault/secrets"

/** Read first, and only from the environment: it says where the other variables are. */
export const secretsFolder: Variable<string> = {
  name: "SECRETS_FOLDER",
  meaning:
    "the folder whose files hold variables that are not in the environment, as NAME=VALUE lines; if it is named, it must exist",
  schema: Schema.NonEmptyString,
  fallback: USUAL_FOLDER
}

type Environment = Readonly<Record<string, string | undefined>>

const secretsOf = (folder: string | undefined, environment: Environment) => {
  const named = folder ?? environment[secretsFolder.name]
  return named === undefined || named === "" ? readSecrets(USUAL_FOLDER) : readNamed(named)
}

/** The environment, then the secrets. As everywhere, an empty variable counts as unset. */
export const layer = (folder?: string, environment: Environment = process.env) =>
  Layer.unwrap(Effect.map(secretsOf(folder, environment), (secrets) => {
    const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== "")
    // One record, not two providers in sequence: there A_B would hide an A that only the second provider has.
    return ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...secrets, ...Object.fromEntries(set) }))
  }))
