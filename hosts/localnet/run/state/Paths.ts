/** The local network's files: below the package's root, never below the current folder. */
import { join, resolve } from "node:path"

export interface Paths {
  /** The package's root. */
  readonly root: string
  /** The files of one run: the lock and the description of the network. */
  readonly folder: string
  /** Exclusive to one run (see RunLock.ts). */
  readonly run: string
  /** The file that other programs read. */
  readonly localnetFile: string
  readonly logFile: string
  /** Chains, store and keys, which are kept and deleted together. */
  readonly state: string
  readonly manifest: string
  readonly keys: string
  readonly database: string
  /** The demo sponsor's API key. */
  readonly sponsor: string
  readonly chain: (slug: string) => string
  /** The Solana chain's state. */
  readonly solana: string
  /** The chains that are optional, when the network has them. */
  readonly bitcoin: string
  readonly tron: string
  readonly exchangeA: string
  readonly exchangeB: string
  /** The oracle's API key of the transfer service. */
  readonly mappingsKey: string
}

export const packageRoot = resolve(import.meta.dirname, "../../../..")

const pathsIn = (root: string, folder: string): Paths => {
  const state = join(folder, "state")
  return {
    root,
    folder,
    run: join(folder, "run"),
    localnetFile: join(folder, "localnet.json"),
    logFile: join(folder, "localnet.log"),
    state,
    manifest: join(state, "manifest.json"),
    keys: join(state, "keys.json"),
    database: join(state, "transfer.db"),
    sponsor: join(state, "sponsor.json"),
    chain: (slug) => join(state, `${slug}.json`),
    solana: join(state, "solana.json"),
    bitcoin: join(state, "bitcoin.json"),
    tron: join(state, "tron.json"),
    exchangeA: join(state, "exchange-a.json"),
    exchangeB: join(state, "exchange-b.json"),
    mappingsKey: join(state, "mappings-key.json")
  }
}

export const pathsBelow = (root: string = packageRoot): Paths => pathsIn(root, join(root, ".causeway"))

/**
 * Those of the chains that run without our services. They are another network: the solver's account is used there by
 * the reader's own store, which ours would not know.
 */
export const chainsOnlyPaths = ({ folder, root }: Paths): Paths => pathsIn(root, join(folder, "chains-only"))
