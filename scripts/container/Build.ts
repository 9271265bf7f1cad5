/**
 * Performs the steps of a Dockerfile in a folder, where there is no engine: each stage is a folder that stands for its
 * root, the base image is this machine with the running Node, whose version has to be the image's.
 *
 * What is the same as in an engine: which files are there, what is installed, as whom and how it is started. What is
 * not: the distribution of the image, and that nothing else of the machine can be seen.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import type { Instruction, Stage } from "./Dockerfile.ts"

/** An image as a folder, and how it is started. */
export interface Built {
  /** The folder that stands for `/`. */
  readonly root: string
  /** Its working directory, within `root`. */
  readonly workdir: string
  /** Of the Dockerfile. */
  readonly environment: Readonly<Record<string, string>>
  /** Where `node` is. */
  readonly programs: string
  readonly user: { readonly uid: number; readonly gid: number }
  readonly entrypoint: ReadonlyArray<string>
}

/** `node:24-slim` on this machine: the Node that runs this, in a folder that everybody may enter. */
const baseOf = (image: string, folder: string): string => {
  const major = /^node:(\d+)-slim$/.exec(image)?.[1]
  const running = process.versions.node.split(".")[0]
  if (major !== running) {
    throw new Error(`the image ${image} cannot stand for Node ${process.versions.node}: start this by npm`)
  }
  const programs = join(folder, "base")
  const node = join(programs, "node")
  if (existsSync(node)) return programs
  mkdirSync(programs, { recursive: true })
  copyFileSync(process.execPath, node)
  chmodSync(node, 0o755)
  return programs
}

interface State {
  workdir: string
  environment: Record<string, string>
}

/** As an engine does it: the contents of a folder go to the target, files into a target that is a folder. */
const copy = (source: string, target: string, isFolder: boolean): void => {
  const place = statSync(source).isFile() && isFolder ? join(target, basename(source)) : target
  mkdirSync(dirname(place), { recursive: true })
  cpSync(source, place, { recursive: true, verbatimSymlinks: true })
}

const perform = (
  step: Instruction,
  root: string,
  state: State,
  programs: string,
  sourceOf: (from: string | undefined) => string
): void => {
  const within = (path: string) => join(root, isAbsolute(path) ? path : join(state.workdir, path))
  switch (step._tag) {
    case "Workdir":
      state.workdir = step.path
      mkdirSync(within(step.path), { recursive: true })
      return
    case "Env":
      Object.assign(state.environment, step.values)
      return
    case "Copy": {
      const from = sourceOf(step.from)
      for (const source of step.sources) {
        copy(join(from, source), within(step.target), step.target.endsWith("/") || existsSync(within(step.target)))
      }
      return
    }
    case "Run": {
      // The machine's environment too: it says where packages come from.
      const env = { ...process.env, ...state.environment, PATH: `${programs}:${process.env["PATH"] ?? ""}` }
      const { status } = spawnSync("sh", ["-c", step.command], { cwd: within("."), env, stdio: "inherit" })
      if (status !== 0) throw new Error(`a step of the Dockerfile ended with ${status}: ${step.command}`)
    }
  }
}

/** Builds into `folder`, which nobody else's eyes need be kept from. `context` is the root of the repository. */
export const build = (stages: ReadonlyArray<Stage>, context: string, folder: string): Built => {
  const roots = new Map<string, string>()
  let built: Built | undefined
  for (const [index, stage] of stages.entries()) {
    const programs = baseOf(stage.image, folder)
    const root = join(folder, stage.name ?? `stage-${index}`)
    const state: State = { workdir: "/", environment: {} }
    mkdirSync(root, { recursive: true })
    chmodSync(folder, 0o755)
    for (const step of stage.steps) {
      perform(step, root, state, programs, (from) => {
        const source = from === undefined ? context : roots.get(from)
        if (source === undefined) throw new Error(`the Dockerfile copies from ${from}, which is no stage before it`)
        return source
      })
    }
    if (stage.name !== undefined) roots.set(stage.name, root)
    built = {
      root,
      workdir: join(root, state.workdir),
      environment: state.environment,
      programs,
      user: stage.user ?? { uid: 0, gid: 0 },
      entrypoint: stage.entrypoint
    }
  }
  if (built === undefined) throw new Error("the Dockerfile has no stage")
  if (built.user.uid === 0) throw new Error("the image would run as root: it needs a USER")
  return built
}
