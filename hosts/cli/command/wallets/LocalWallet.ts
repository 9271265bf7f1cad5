/**
 * A wallet by a private key of this machine, for chains whose family the package has a wallet for. What signs is the
 * family's own library, unmodified. It is loaded when it signs.
 *
 * SECURITY: the key comes from WALLET_PRIVATE_KEY or a file, stays in this process, and is in no message: a library's
 * message about a key could quote it.
 */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { readText } from "../../../configuration/Variables.ts"
import type { Wallet } from "../../../transfer/client/Wallet.ts"
import { ProgramFailed, wrongUsage } from "../../Program.ts"
import type { ServedChain } from "../ServedChains.ts"
import { NodeUnusable } from "./NodeUnusable.ts"

/** An account of a chain, and what signs for it. */
export interface LocalWallet {
  readonly account: string
  readonly wallet: Wallet
}

/** Makes a wallet of a key's text and of a node's URL. Rejects when the text is no key. */
export type OpenWallet = (key: string, nodeUrl: string, chain: ServedChain) => Promise<LocalWallet>

interface Family {
  readonly open: () => Promise<OpenWallet>
  /** How a key is written. */
  readonly key: string
  /** What has to be installed beside the package. */
  readonly library: string
  /** What --rpc-url has to name, where it is not a node such as the service may tell. */
  readonly node?: string
}

/** By `vmType` of `GET /chains`. */
const families: Readonly<Record<string, Family>> = {
  evm: {
    open: async () => (await import("./EvmWallet.ts")).openEvm,
    key: "0x and 64 hex digits",
    library: "viem"
  },
  svm: {
    open: async () => (await import("./SvmWallet.ts")).openSvm,
    key: "64 bytes in base58, or a list of numbers as in a key file",
    library: "@solana/kit"
  },
  tvm: {
    open: async () => (await import("./TvmWallet.ts")).openTvm,
    key: "64 hex digits",
    library: "tronweb"
  },
  bvm: {
    open: async () => (await import("./BitcoinWallet.ts")).openBitcoin,
    key: "64 hex digits or WIF, whose P2WPKH address pays",
    library: "bitcoinjs-lib",
    node: "an Esplora-compatible explorer, to its API's base"
  },
  hypevm: {
    open: async () => (await import("./ExchangeAWallet.ts")).openExchangeA,
    key: "0x and 64 hex digits",
    library: "viem",
    node: "the exchange's API"
  },
  lvm: {
    open: async () => (await import("./ExchangeBWallet.ts")).openExchangeB,
    key: "account:apiKeyIndex:apiKey:ownerKey, two numbers, 80 hex digits of the API key and 64 of the account's owner",
    library: "@reservoir0x/lighter-ts-sdk",
    node: "the exchange's API"
  }
}

const keyFrom = Effect.fnUntraced(function*(file: string | undefined) {
  if (file === undefined) {
    return (yield* readText("WALLET_PRIVATE_KEY")) ??
      (yield* new ProgramFailed({
        reason: "not-configured",
        message: "no key: set WALLET_PRIVATE_KEY, or name a file that holds it with --key-file"
      }))
  }
  return yield* Effect.try({
    try: () => readFileSync(file, "utf8").trim(),
    catch: () => new ProgramFailed({ reason: "not-configured", message: `the key file ${file} cannot be read` })
  })
})

/** The wallet on a chain by the key in `keyFile`, or in WALLET_PRIVATE_KEY. */
export const localWallet = Effect.fnUntraced(
  function*(chain: ServedChain, keyFile: string | undefined, nodeUrl: string | undefined) {
    const family = families[chain.vmType]
    if (family === undefined) {
      return yield* new ProgramFailed({
        reason: "no-wallet",
        message:
          `this command signs on chains of ${
            Object.keys(families).join(", ")
          }, and ${chain.slug} is one of ${chain.vmType}: ` +
          "pay a deposit address instead (causeway deposit-address), or sign the steps of causeway quote --json"
      })
    }
    const url = nodeUrl ?? (family.node === undefined ? chain.httpRpcUrl : undefined) ??
      (yield* wrongUsage(
        `--rpc-url is missing: ${family.node ?? `the service names no node of ${chain.slug}, so name one`}`
      ))
    const key = yield* keyFrom(keyFile)
    const open = yield* Effect.tryPromise({
      try: family.open,
      catch: () =>
        new ProgramFailed({ reason: "not-installed", message: `install ${family.library} to sign on ${chain.slug}` })
    })
    return yield* Effect.tryPromise({
      try: () => open(key, url, chain),
      catch: (cause) =>
        new ProgramFailed({
          reason: "not-configured",
          message: cause instanceof NodeUnusable
            ? `${nodeUrl === undefined ? "the node that the service names" : "--rpc-url"}: ${cause.message}`
            : `the private key is not written as ${chain.slug} needs it: ${family.key}`
        })
    })
  }
)
