/**
 * The oracle's image without a container engine: the steps of its Dockerfile, executed in a folder that stands for
 * /app, with this machine and the running Node in place of the base image. A line of an unknown form is refused,
 * because it would not be executed.
 */
import { spawn, spawnSync } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"

export interface Image {
  /** In order: copies from the repository, and commands for `sh -c`. */
  readonly steps: ReadonlyArray<
    { readonly copied: ReadonlyArray<string>; readonly to: string } | { readonly run: string }
  >
  readonly environment: Readonly<Record<string, string>>
  readonly uid: string
  readonly gid: string
  readonly entrypoint: string
}

/**
 * Every other line of our Dockerfile, in order: two stages, of which the second has the first's folder and nothing
 * else.
 */
const frame = [
  "FROM node:24-slim AS built",
  "WORKDIR /app",
  "FROM node:24-slim",
  "WORKDIR /app",
  "COPY --from=built /app /app",
  "EXPOSE 3000",
  "STOPSIGNAL SIGTERM"
]

export const readDockerfile = (contents: string): Image => {
  const steps: Array<Image["steps"][number]> = []
  const others: Array<string> = []
  let [environment, uid, gid, entrypoint]: [Record<string, string>, string, string, string] = [{}, "0", "0", ""]
  for (const line of contents.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const [, copied, to = ""] = /^COPY ((?!--)(?:[\w./-]+ )+)([\w./-]+)$/.exec(line) ?? []
    const [, run] = /^RUN ([^[-].*[^\\])$/.exec(line) ?? []
    const [, set] = /^ENV ((?:\w+=[\w.]+ ?)+)$/.exec(line) ?? []
    const [, user, group = ""] = /^USER (\d+):(\d+)$/.exec(line) ?? []
    const [, program] = /^ENTRYPOINT \["([\w./-]+)"\]$/.exec(line) ?? []
    if (copied !== undefined) steps.push({ copied: copied.trim().split(" "), to })
    else if (run !== undefined) steps.push({ run })
    else if (set !== undefined) {
      environment = Object.fromEntries(
        set.split(" ").map((pair): [string, string] => {
          const [name = "", value = ""] = pair.split("=")
          return [name, value]
        })
      )
    } else if (user !== undefined) [uid, gid] = [user, group]
    else if (program !== undefined) entrypoint = program
    else others.push(line)
  }
  if (others.join("\n") !== frame.join("\n")) {
    throw new Error(`the Dockerfile has lines that are not performed:\n${others.join("\n")}`)
  }
  if (uid === "0" || gid === "0" || entrypoint === "") throw new Error("the image would run as root, or nothing")
  return { steps, environment, uid, gid, entrypoint }
}

/** A built image. `app` is the folder that stands for /app, and `programs` contains its Node. */
export interface Built extends Image {
  readonly app: string
  readonly programs: string
}

export const build = (image: Image, repository: string, folder: string): Built => {
  const [app, programs] = [join(folder, "app"), join(folder, "programs")]
  for (const each of [app, programs]) mkdirSync(each, { recursive: true })
  chmodSync(folder, 0o755)
  copyFileSync(process.execPath, join(programs, "node"))
  // Includes the machine's environment, which says where packages come from.
  const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}` }
  for (const step of image.steps) {
    if ("run" in step) {
      const { status } = spawnSync("sh", ["-c", step.run], { cwd: app, env, stdio: "inherit" })
      if (status !== 0) throw new Error(`a step of the Dockerfile ended with ${status}: ${step.run}`)
    } else {
      for (const source of step.copied) {
        cpSync(join(repository, source), join(app, step.to, step.to.endsWith("/") ? source : ""), { recursive: true })
      }
    }
  }
  return { ...image, app, programs }
}

/** Starts the image as its user, with none of this process's environment, as a container engine would. Needs root. */
export const start = (
  { app, entrypoint, environment, gid, programs, uid }: Built,
  variables: Readonly<Record<string, string>>
): ChildProcess => {
  const nobody = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs", "--inh-caps=-all"]
  return spawn("setpriv", [...nobody, "--bounding-set=-all", entrypoint], {
    cwd: app,
    env: { PATH: `${programs}:/usr/bin:/bin`, ...environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })
}
