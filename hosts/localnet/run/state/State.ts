/**
 * The folder of chains, store and keys: complete, empty, or to be set aside.
 *
 * Half a state is worse than none: a store with deposits that its chain has lost would wait for ever. So a state that
 * is incomplete or does not agree is moved away unchanged, never repaired and never deleted.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import { existsSync, renameSync, rmSync } from "node:fs"
import { basename } from "node:path"
import { readJson } from "./AtomicFile.ts"
import type { Anvil } from "../../nodes/ethereum/Anvil.ts"
import { isMarked, isStoreMarked, readManifest } from "./Identity.ts"
import { Keys } from "./Keys.ts"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"
import type { Paths } from "./Paths.ts"
import type { Slug } from "../Slug.ts"
import { slugs } from "../Slug.ts"
import { seenBlocks } from "./SeenBlocks.ts"

export type SavedState =
  | { readonly _tag: "Nothing" }
  | {
    readonly _tag: "Whole"
    readonly identity: string
    readonly keys: Keys
    readonly createdAt: string
    /** Whether a Solana chain belongs to it. */
    readonly solana: boolean
  }
  | { readonly _tag: "Broken"; readonly reason: string }

const broken = (reason: string): SavedState => ({ _tag: "Broken", reason })

/** The state of the folder, as far as it shows without starting the chains. */
export const inspect = (paths: Paths): Effect.Effect<SavedState> =>
  Effect.gen(function*() {
    const files = [paths.manifest, paths.keys, paths.database, ...slugs.map(paths.chain)]
    const missing = files.filter((file) => !existsSync(file))
    if (missing.length === files.length) return { _tag: "Nothing" } satisfies SavedState
    if (missing.length > 0) return broken(`${missing.map((file) => basename(file)).join(", ")} missing`)
    const manifest = yield* readManifest(paths.manifest)
    const keys = yield* readJson(paths.keys, Keys)
    if (Option.isNone(manifest) || Option.isNone(keys)) return broken("manifest or keys missing")
    const { identity } = manifest.value
    const solana = manifest.value.solana === true
    if (solana && !existsSync(paths.solana)) return broken(`${basename(paths.solana)} missing`)
    if (!(yield* isStoreMarked(paths.database, identity))) {
      return broken(`${basename(paths.database)} is damaged or belongs to another network`)
    }
    return {
      _tag: "Whole",
      identity,
      keys: keys.value,
      createdAt: manifest.value.createdAt,
      solana
    } satisfies SavedState
  }).pipe(Effect.catchTag("LocalnetError", (error) => Effect.succeed(broken(error.message))))

const Block = Schema.NullOr(Schema.Struct({ hash: Schema.String }))

/** Hash of the chain's block at that height. None beyond its head. */
const hashAt = (chain: Anvil, height: bigint) =>
  chain.request("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Block)),
    Effect.mapError((error) => new LocalnetError({ message: reasonOf(error) })),
    Effect.map((block) => block?.hash)
  )

/** Why running chains and the store do not agree. None when they do. */
export const disagreement = Effect.fn("State.disagreement")(
  function*(paths: Paths, identity: string, chains: Readonly<Record<Slug, Anvil>>) {
    const seen = yield* seenBlocks(paths.database)
    for (const slug of slugs) {
      const chain = chains[slug]
      if (!(yield* isMarked(chain, identity))) return Option.some(`chain ${slug} belongs to another network`)
      const last = seen.find(({ chainId }) => chainId === chain.chainId)
      if (last !== undefined && (yield* hashAt(chain, last.height)) !== last.hash) {
        return Option.some(`the store has seen block ${last.height} of ${slug}, which the chain has lost`)
      }
    }
    return Option.none<string>()
  }
)

const moving = (path: string, act: () => void) =>
  Effect.try({
    try: act,
    catch: (cause) => new LocalnetError({ message: `cannot move ${path} out of the way: ${reasonOf(cause)}` })
  })

/** Moves the folder to a new name, which is returned. */
export const setAside = Effect.fn("State.setAside")(function*(paths: Paths) {
  const stamp = DateTime.formatIso(yield* DateTime.now).replaceAll(/[:.]/g, "-")
  const aside = `${paths.state}.aside-${stamp}`
  yield* moving(paths.state, () => renameSync(paths.state, aside))
  return aside
})

/** Removes the folder, for `--fresh`. */
export const discard = (paths: Paths): Effect.Effect<void, LocalnetError> =>
  moving(paths.state, () => rmSync(paths.state, { recursive: true, force: true }))
