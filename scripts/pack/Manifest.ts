/**
 * The manifest of the published package, generated from package.json: production dependencies only.
 *
 * Guarantee: no `node-linux-*` (it would change the Node of everyone who installs the library), nothing of the local
 * network, no test tool, no script. Packages that only one chain family, a key in a KMS or the laws need are optional
 * peers.
 */
import { Schema } from "effect"
import { compiledOf, type Entry, publishedExports } from "./Exports.ts"

const Versions = Schema.Record(Schema.String, Schema.String)

export const Manifest = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  description: Schema.String,
  license: Schema.String,
  /** Executables: sources here, modules in the published manifest. */
  bin: Versions,
  exports: Versions,
  dependencies: Versions,
  devDependencies: Versions
})
export type Manifest = typeof Manifest.Type

/** The oldest Node that the published modules run on. The repository itself brings its own. */
const engines = { node: ">=22.19" }

/** Packages that a service need not install if it does not use the family or the KMS, or does not run the laws. */
const optionalPeers: ReadonlyArray<string> = [
  "viem",
  "@solana/kit",
  "@solana-program/compute-budget",
  "@solana-program/memo",
  "@solana-program/system",
  "@solana-program/token",
  "@aws-sdk/client-kms",
  "tronweb",
  "bitcoinjs-lib",
  "fast-check"
]

const pick = (
  versions: Readonly<Record<string, string>>,
  wanted: (name: string) => boolean
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => wanted(name)).toSorted(([a], [b]) => a < b ? -1 : 1))

export const publishedManifest = (
  manifest: Manifest,
  entries: ReadonlyArray<Entry>
): Readonly<Record<string, unknown>> => {
  const { bin, dependencies, description, devDependencies, license, name, version } = manifest
  const isPeer = (of: string): boolean => optionalPeers.includes(of)
  return {
    name,
    version,
    description,
    license,
    type: "module",
    sideEffects: false,
    engines,
    bin: Object.fromEntries(Object.entries(bin).map(([command, source]) => [command, compiledOf(source)])),
    exports: publishedExports(entries),
    dependencies: pick(dependencies, (of) => !isPeer(of)),
    peerDependencies: Object.fromEntries(
      Object.entries(pick({ ...devDependencies, ...dependencies }, isPeer)).map((
        [peer, version]
      ) => [peer, `^${version}`])
    ),
    peerDependenciesMeta: Object.fromEntries(optionalPeers.map((peer) => [peer, { optional: true }]))
  }
}
