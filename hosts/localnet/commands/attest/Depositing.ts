/**
 * Deposits on the network's chains as their users make them: with the family's client from npm, a key of localnet.json
 * and the chain's own interface. A family's client is loaded only for a deposit on that family.
 */
import { Effect } from "effect"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { ether } from "../demo/DemoChain.ts"
import type { Currency } from "../demo/DemoChain.ts"
import type { VmFamily } from "../../../../src/domain/chain/VmFamily.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"

export interface Deposited {
  /** In the family's spelling. */
  readonly transactionId: string
  readonly depositor: string
  /** An additional action, in one line. Only when the family needs one. */
  readonly besides?: string
}

/** Deposits an amount (smallest units of the chain's native currency) for an id. */
export type MakeDeposit = (amount: bigint, id: Hex32) => Effect.Effect<Deposited, LocalnetError>

export interface DepositChain {
  readonly id: string
  readonly family: VmFamily
  readonly currency: Currency
  /** What is deposited unless an amount is given, in whole units: a hundredth where it is absent. */
  readonly usual?: string
  readonly deposit: MakeDeposit
}

const noAccount = (id: string) => () =>
  Effect.fail(new LocalnetError({ message: `the network has no account on ${id}` }))

const evmChains = ({ accounts: [user], chains }: Localnet): ReadonlyArray<DepositChain> =>
  chains.map((chain) => ({
    id: chain.id,
    family: chain.vmType,
    currency: ether,
    deposit: user === undefined
      ? noAccount(chain.id)
      : (amount, id) =>
        Effect.flatMap(
          Effect.promise(() => import("./EvmDeposit.ts")),
          ({ deposit }) => deposit(chain, user, amount, id)
        )
  }))

const solanaChain = ({ solana }: Localnet): ReadonlyArray<DepositChain> => {
  if (solana === undefined) return []
  const [user] = solana.accounts
  const currency = { symbol: "SOL", address: "11111111111111111111111111111111", decimals: 9 }
  return [{
    id: solana.id,
    family: solana.vmType,
    currency,
    deposit: user === undefined
      ? noAccount(solana.id)
      : (amount, id) =>
        Effect.flatMap(
          Effect.promise(() => import("./SolanaDeposit.ts")),
          ({ deposit }) => deposit(solana, user.privateKey, amount, id)
        )
  }]
}

const bitcoinChain = ({ bitcoin }: Localnet): ReadonlyArray<DepositChain> =>
  bitcoin === undefined ? [] : [{
    id: bitcoin.id,
    family: bitcoin.vmType,
    currency: { symbol: "BTC", address: "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8", decimals: 8 },
    deposit: (amount, id) =>
      Effect.flatMap(Effect.promise(() => import("./BitcoinDeposit.ts")), ({ deposit }) => deposit(bitcoin, amount, id))
  }]

const tronChain = ({ tron }: Localnet): ReadonlyArray<DepositChain> => {
  if (tron === undefined) return []
  const [user] = tron.accounts
  return [{
    id: tron.id,
    family: tron.vmType,
    currency: { symbol: "TRX", address: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", decimals: 6 },
    deposit: user === undefined
      ? noAccount(tron.id)
      : (amount, id) =>
        Effect.flatMap(
          Effect.promise(() => import("./TronDeposit.ts")),
          ({ deposit }) => deposit(tron, user, amount, id)
        )
  }]
}

const exchangeAChain = ({ exchangeA, transferUrl }: Localnet): ReadonlyArray<DepositChain> => {
  if (exchangeA === undefined) return []
  const [user] = exchangeA.accounts
  return [{
    id: exchangeA.id,
    family: exchangeA.vmType,
    currency: { symbol: "USDC", address: `0x${"0".repeat(32)}`, decimals: 8 },
    deposit: user === undefined
      ? noAccount(exchangeA.id)
      : (amount, id) =>
        Effect.flatMap(
          Effect.promise(() => import("./ExchangeADeposit.ts")),
          ({ deposit }) => deposit({ ...exchangeA, transferUrl }, user, amount, id)
        )
  }]
}

const exchangeBChain = ({ exchangeB }: Localnet): ReadonlyArray<DepositChain> => {
  if (exchangeB === undefined) return []
  const [user] = exchangeB.accounts
  return [{
    id: exchangeB.id,
    family: exchangeB.vmType,
    currency: { symbol: "USDC", address: "0", decimals: 6 },
    // The least that the exchange transfers.
    usual: "1",
    deposit: user === undefined
      ? noAccount(exchangeB.id)
      : (amount, id) =>
        Effect.flatMap(
          Effect.promise(() => import("./ExchangeBDeposit.ts")),
          ({ deposit }) => deposit(exchangeB, user, amount, id)
        )
  }]
}

/** All chains that the network runs. */
export const depositChains = (localnet: Localnet): ReadonlyArray<DepositChain> =>
  [evmChains, solanaChain, bitcoinChain, tronChain, exchangeAChain, exchangeBChain].flatMap((of) => of(localnet))
