/**
 * The identity of one local network. It is written into everything that belongs together: each chain (as code of a
 * marker address), the store (a row of its own table) and the manifest.
 */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { readJson, write } from "./AtomicFile.ts"
import type { Anvil, AnvilError } from "../../nodes/ethereum/Anvil.ts"
import { marker } from "../../nodes/ethereum/Addresses.ts"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"

/** 32 random bytes as lower-case hex. */
export const Identity = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  identity: Identity,
  createdAt: Schema.String,
  /** Whether a Solana chain belongs to it, which is then in the folder too. */
  solana: Schema.optionalKey(Schema.Boolean)
})

export const generate: Effect.Effect<string> = Effect.sync(() => randomBytes(32).toString("hex"))

export const writeManifest = (path: string, manifest: Omit<typeof Manifest.Type, "version">) =>
  write(path, `${JSON.stringify({ version: 1, ...manifest } satisfies typeof Manifest.Type, null, 2)}\n`)

export const readManifest = (path: string) => readJson(path, Manifest)

// The first byte is STOP: the marker does nothing when it is called.
const codeOf = (identity: string) => `0x00${identity}`

export const markChain = (chain: Anvil, identity: string): Effect.Effect<void, AnvilError> =>
  chain.setCode(marker, codeOf(identity))

export const isMarked = (chain: Anvil, identity: string): Effect.Effect<boolean, AnvilError> =>
  Effect.map(chain.request("eth_getCode", [marker, "latest"]), (code) => code === codeOf(identity))

const withStore = <A>(path: string, use: (store: DatabaseSync) => A): Effect.Effect<A, LocalnetError> =>
  Effect.try({
    try: () => {
      const store = new DatabaseSync(path)
      try {
        return use(store)
      } finally {
        store.close()
      }
    },
    catch: (cause) => new LocalnetError({ message: `${path}: ${reasonOf(cause)}` })
  })

/** Marks a store that no service uses yet. Makes the file when it is missing. */
export const markStore = (path: string, identity: string): Effect.Effect<void, LocalnetError> =>
  withStore(path, (store) => {
    store.exec("CREATE TABLE localnet_identity (identity TEXT NOT NULL)")
    store.prepare("INSERT INTO localnet_identity (identity) VALUES (?)").run(identity)
  })

/** Whether the store is intact (SQLite's own quick check) and carries this identity. */
export const isStoreMarked = (path: string, identity: string): Effect.Effect<boolean, LocalnetError> =>
  withStore(path, (store) => {
    const check = store.prepare("PRAGMA quick_check(1)").get()
    const row = store.prepare("SELECT identity FROM localnet_identity").get()
    return check?.["quick_check"] === "ok" && row?.["identity"] === identity
  })
