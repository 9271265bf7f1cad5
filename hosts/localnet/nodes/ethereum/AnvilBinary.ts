/**
 * Where the anvil binary of this platform lies.
 *
 * `@foundry-rs/anvil` is a wrapper with one optional package a platform; the
 * binary of that package is started directly, since the wrapper would stand
 * between us and the process that has to be ended.
 */
import { Option } from "effect"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

/** The npm package that holds the binary of a platform, for example `@foundry-rs/anvil-linux-amd64`. */
export const anvilPackage = (platform: string = process.platform, architecture: string = process.arch): string =>
  `@foundry-rs/anvil-${platform}-${architectures[architecture] ?? architecture}`

/** Absolute path of the binary; none when the package is not installed here. */
export const anvilBinary = (name: string = anvilPackage()): Option.Option<string> =>
  Option.liftThrowable(() => {
    const wrapper = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")
    return join(dirname(createRequire(wrapper).resolve(`${name}/package.json`)), "bin", "anvil")
  })().pipe(Option.filter((path) => existsSync(path)))
