/**
 * Finds the anvil binary for this platform.
 *
 * `@foundry-rs/anvil` is a wrapper with one optional package for each platform. The binary of that package is started
 * directly, because the wrapper would be between us and the process that we have to end.
 */
import { Option } from "effect"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

/** The npm package that holds the binary of a platform, for example `@foundry-rs/anvil-linux-amd64`. */
export const anvilPackage = (platform: string = process.platform, architecture: string = process.arch): string =>
  `@foundry-rs/anvil-${platform}-${architectures[architecture] ?? architecture}`

/** Absolute path of the binary. None when the package is not installed here. */
export const anvilBinary = (name: string = anvilPackage()): Option.Option<string> =>
  Option.liftThrowable(() => {
    const wrapper = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")
    return join(dirname(createRequire(wrapper).resolve(`${name}/package.json`)), "bin", "anvil")
  })().pipe(Option.filter((path) => existsSync(path)))
