/** The wallet operations on a chain of any family, with the step's data unchanged. */
import { Effect, Schema } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { getAddress } from "viem/utils"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { DemoChain } from "./DemoChain.ts"
import { ExchangeBTransfer } from "./TransferApi.ts"
import type { StepData } from "./TransferApi.ts"
import * as Evm from "./Wallet.ts"

export interface Mined {
  readonly succeeded: boolean
  /** Smallest units of the native currency. */
  readonly gasCost: bigint
}

export interface ChainWallet {
  /** Smallest units. */
  readonly balance: (currency: string, owner: string) => Effect.Effect<bigint, LocalnetError>
  /** Signs and sends. Returns the transaction's id, or undefined for a signature that moves nothing. */
  readonly send: (key: string, data: StepData) => Effect.Effect<string | undefined, LocalnetError>
  readonly mined: (id: string) => Effect.Effect<Mined, LocalnetError>
  /** A new account. */
  readonly newAddress: Effect.Effect<string>
}

const otherFamily = ({ id }: DemoChain) => new LocalnetError({ message: `the step is no transaction of ${id}` })

const evmKey = Schema.decodeUnknownEffect(Schema.TemplateLiteral(["0x", Schema.String]))

const evmWallet = (chain: DemoChain): ChainWallet => ({
  balance: (currency, owner) => Evm.balance(chain, getAddress(currency), getAddress(owner)),
  send: Effect.fnUntraced(function*(key, data) {
    if (!("to" in data)) return yield* otherFamily(chain)
    return yield* Evm.send(chain, yield* Effect.orDie(evmKey(key)), data)
  }),
  mined: (id) => Evm.mined(chain, id),
  newAddress: Effect.sync(() => privateKeyToAddress(generatePrivateKey()))
})

const solanaWallet = Effect.fnUntraced(function*(chain: DemoChain) {
  const Solana = yield* Effect.promise(() => import("./SolanaWallet.ts"))
  return {
    balance: (currency, owner) => Solana.balance(chain, currency, owner),
    send: (key, data) => "instructions" in data ? Solana.send(chain, key, data) : Effect.fail(otherFamily(chain)),
    mined: (id) => Solana.mined(chain, id),
    newAddress: Solana.newAddress
  } satisfies ChainWallet
})

const bitcoinWallet = Effect.fnUntraced(function*(chain: DemoChain) {
  const Bitcoin = yield* Effect.promise(() => import("./BitcoinWallet.ts"))
  return {
    balance: (_currency, owner) => Bitcoin.balance(chain, owner),
    send: (key, data) => "psbt" in data ? Bitcoin.send(chain, key, data) : Effect.fail(otherFamily(chain)),
    mined: (id) => Bitcoin.mined(chain, id),
    newAddress: Bitcoin.newAddress
  } satisfies ChainWallet
})

const tronWallet = Effect.fnUntraced(function*(chain: DemoChain) {
  const Tron = yield* Effect.promise(() => import("./TronWallet.ts"))
  return {
    balance: (currency, owner) => Tron.balance(chain, currency, owner),
    send: (key, data) => "parameter" in data ? Tron.send(chain, key, data) : Effect.fail(otherFamily(chain)),
    mined: (id) => Tron.mined(chain, id),
    newAddress: Tron.newAddress
  } satisfies ChainWallet
})

const exchangeAWallet = Effect.fnUntraced(function*(chain: DemoChain, transferUrl: string) {
  const ExchangeA = yield* Effect.promise(() => import("./ExchangeAWallet.ts"))
  return {
    balance: (currency, owner) => ExchangeA.balance(chain, currency, owner),
    send: Effect.fnUntraced(function*(key, data) {
      const signer = yield* Effect.orDie(evmKey(key))
      if ("post" in data) return yield* ExchangeA.authorize(chain, transferUrl, signer, data)
      return yield* "eip712Types" in data ? ExchangeA.send(chain, signer, data) : otherFamily(chain)
    }),
    mined: (id) => ExchangeA.mined(chain, id),
    newAddress: Effect.sync(() => privateKeyToAddress(generatePrivateKey()))
  } satisfies ChainWallet
})

const exchangeBWallet = Effect.fnUntraced(function*(chain: DemoChain) {
  const ExchangeB = yield* Effect.promise(() => import("./ExchangeBWallet.ts"))
  const isTransfer = Schema.is(ExchangeBTransfer)
  return {
    balance: (currency, owner) => ExchangeB.balance(chain, currency, owner),
    send: (key, data) => isTransfer(data) ? ExchangeB.send(chain, key, data) : Effect.fail(otherFamily(chain)),
    mined: (id) => ExchangeB.mined(chain, id),
    newAddress: ExchangeB.newAddress(chain)
  } satisfies ChainWallet
})

/**
 * A family's client is loaded for a chain of it only, because that takes a good part of a second.
 * `transferUrl`: the service, to which an exchange's wallet posts what it has signed.
 */
export const walletOn = (chain: DemoChain, transferUrl: string): Effect.Effect<ChainWallet> => {
  switch (chain.vmType) {
    case "ethereum-vm":
      return Effect.succeed(evmWallet(chain))
    case "solana-vm":
      return solanaWallet(chain)
    case "bitcoin-vm":
      return bitcoinWallet(chain)
    case "tron-vm":
      return tronWallet(chain)
    case "exchangea-vm":
      return exchangeAWallet(chain, transferUrl)
    case "exchangeb-vm":
      return exchangeBWallet(chain)
  }
}
