/** deploy/compose.yaml and the Dockerfiles that it names, as tests read them. */
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"

const root = join(import.meta.dirname, "../..")

const Texts = Schema.Array(Schema.String)

const Service = Schema.Struct({
  image: Schema.optionalKey(Schema.String),
  build: Schema.optionalKey(Schema.Struct({
    context: Schema.Literal(".."),
    dockerfile: Schema.String,
    target: Schema.optionalKey(Schema.String)
  })),
  env_file: Schema.optionalKey(Texts),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  ports: Schema.optionalKey(Texts),
  volumes: Schema.optionalKey(Texts),
  command: Schema.optionalKey(Texts),
  read_only: Schema.optionalKey(Schema.Boolean)
})

const Compose = Schema.Struct({
  services: Schema.Record(Schema.String, Service),
  volumes: Schema.Record(Schema.String, Schema.Struct({}))
})

export const compose = Schema.decodeUnknownSync(Compose)(
  parse(readFileSync(join(root, "deploy/compose.yaml"), "utf8"), { merge: true })
)

/** One `FROM`, with what the ones below it inherit. */
export interface Stage {
  readonly base: string
  readonly environment: Readonly<Record<string, string>>
  readonly command: ReadonlyArray<string>
  /** What is copied of the repository. */
  readonly copied: ReadonlyArray<string>
  /** What is copied of other stages: there from /app, here to it. */
  readonly taken: ReadonlyArray<{ readonly stage: string; readonly from: string; readonly to: string }>
  /** Its own `RUN` lines. */
  readonly commands: ReadonlyArray<string>
}

/** The variables of all its `ENV` lines. */
const environmentOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^ENV (.+)$/gmu)].flatMap(([, values = ""]) =>
      [...values.matchAll(/(\w+)=(\S+)/gu)].map(([, name = "", value = ""]) => [name, value] as const)
    )
  )

const takenBy = (text: string): Stage["taken"] =>
  [...text.matchAll(/^COPY --from=(\S+) \/app\/(\S+) (\S+)$/gmu)].map(([, stage = "", from = "", to = ""]) => ({
    stage,
    from,
    to
  }))

/** `before`: the stages above it in the file. What it copies and sets includes what its base does. */
const readStage = (text: string, before: ReadonlyMap<string, Stage>): readonly [string, Stage] => {
  const [, base = "", name = ""] = /^FROM (\S+)(?: AS (\S+))?$/mu.exec(text) ?? []
  const from = before.get(base)
  const [, command] = /^(?:CMD|ENTRYPOINT) (\[.*\])$/mu.exec(text) ?? []
  const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gmu)].flatMap(([, paths = ""]) => paths.split(" "))
  return [name, {
    base,
    environment: { ...from?.environment, ...environmentOf(text) },
    command: command === undefined
      ? from?.command ?? []
      : Schema.decodeUnknownSync(Schema.fromJsonString(Texts))(command),
    copied: [...from?.copied ?? [], ...copied],
    taken: [...from?.taken ?? [], ...takenBy(text)],
    commands: [...text.matchAll(/^RUN (.+)$/gmu)].map(([, line = ""]) => line)
  }]
}

/** The stages of a Dockerfile by name; the last may have none. */
export const stagesOf = (path: string): ReadonlyMap<string, Stage> => {
  const stages = new Map<string, Stage>()
  for (const text of readFileSync(join(root, path), "utf8").split(/^(?=FROM )/mu).slice(1)) {
    stages.set(...readStage(text, stages))
  }
  return stages
}

/** What compose.yaml runs of ours, by service. */
export const built: ReadonlyMap<string, Stage> = new Map(
  Object.entries(compose.services).flatMap(([name, { build }]) => {
    const stage = build === undefined ? undefined : stagesOf(build.dockerfile).get(build.target ?? "")
    return stage === undefined ? [] : [[name, stage] as const]
  })
)
