/** The fixed facts of every simulated world: its chains, currencies, accounts and keys. All keys are publicly known. */
import { Result } from "effect"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import { genesis, identityOf, type LedgerTerms } from "../../examples/ledger-vm/ledger/Ledger.ts"
import { accountOf } from "../../examples/ledger-vm/ledger/Transfer.ts"
import { bitcoinAddresses } from "../../src/domain/families/bitcoin/BitcoinAddresses.ts"
import { tronAddresses, tronOfAccount } from "../../src/domain/families/tron/TronAddresses.ts"
import { ledgerAddresses } from "../../examples/ledger-vm/rules/LedgerAddresses.ts"

/** 2026-01-01, milliseconds. */
export const START = 1_767_225_600_000
export const BLOCK_MS = 10_000
const FINAL_AFTER = 4

export const keyOf = (nth: number): Hex32 => Hex32.make(`0x${`${nth}`.padStart(2, "0").repeat(32)}`)

export const solverKey = keyOf(1)
/** The seed of deposit addresses. */
export const depositSeed = keyOf(4)
export const solver = accountOf(solverKey)
export const depository = accountOf(keyOf(5))
const issuer = accountOf(keyOf(6))
/** The operator's own account, which refills the solver's. */
export const funderKey = keyOf(7)
export const funder = accountOf(funderKey)

export const USERS = 4
export const userKeys = Array.from({ length: USERS }, (_, nth) => keyOf(10 + nth))
export const users: ReadonlyArray<Address> = userKeys.map(accountOf)

/** The number of the adversary's account, after those of the users. */
export const ADVERSARY = userKeys.length
/** A second account of the adversary. */
export const ACCOMPLICE = ADVERSARY + 1
export const accountKeys = [...userKeys, keyOf(20), keyOf(21)]
export const accounts: ReadonlyArray<Address> = accountKeys.map(accountOf)

/** The wallet of the sponsor, whose app balance pays fees. */
export const sponsorWallet = accountOf(keyOf(8))
/** Whom users pay themselves. */
export const shop = accountOf(keyOf(9))

export const native = ledgerAddresses.nativeCurrency
export const token = CurrencyAddress.make(issuer)
export const currencies = [native, token] as const

const tronToken = (byte: string): CurrencyAddress =>
  CurrencyAddress.make(Result.getOrThrow(tronOfAccount(`0x${byte.repeat(20)}`)))

/** The currency of the Tron chain. A sun is worth as much as the ledger's own smallest unit. */
export const tron = tronAddresses.nativeCurrency
/** Tokens of the Tron chain, each a dollar. `tron/Contracts.ts` has what they do. */
export const [tronUsdt, tronOdd] = [tronToken("a1"), tronToken("a2")] as const
export const tronCurrencies = [tron, tronUsdt, tronOdd] as const
/** The currency of the Bitcoin chain. */
export const bitcoin = bitcoinAddresses("regtest").nativeCurrency
/** A bitcoin is worth a thousand dollars here, so that amounts of one worth suit all chains. */
const SATOSHI_HALF_MICROS = 20n

/** Currencies whose price never moves. */
export const dollars: ReadonlySet<string> = new Set([token, tronUsdt, tronOdd])

/** Micro-dollars of one smallest unit, times two. A native coin is worth half a dollar, a token one. */
export const halfMicros = (currency: string): bigint => {
  if (currency === bitcoin) return SATOSHI_HALF_MICROS
  return currency === native || currency === tron ? 1n : 2n
}

/** Smallest units of each currency that a user has on each chain. */
export const USER_HOLDS = 1_000_000_000n
export const SOLVER_HOLDS = 1_000_000_000_000n
/** With this little, most fills wait or become refunds. */
export const POOR_SOLVER_HOLDS = 150_000_000n
const FUNDER_HOLDS = SOLVER_HOLDS * 1_000n
/** The most that a wallet agrees to pay for a transfer, smallest units of the chain's own coin. */
export const MOST_FEE = 100_000n

export const slugs = ["alpha", "beta"] as const
export type Slug = (typeof slugs)[number]
export type AnySlug = Slug | "bitcoin" | "tron"
export const chainIds: Readonly<Record<AnySlug, number>> = {
  alpha: 616_171,
  beta: 616_172,
  bitcoin: 616_173,
  tron: 616_174
}

/** Which chains a world has: the two ledgers, and others beside them. */
export const worlds = ["ledger", "bitcoin", "tron", "all"] as const
export type Families = (typeof worlds)[number]

/** The chains beside the ledgers. */
export const othersOf = (families: Families): ReadonlyArray<"bitcoin" | "tron"> => {
  switch (families) {
    case "ledger":
      return []
    case "all":
      return ["bitcoin", "tron"]
    default:
      return [families]
  }
}

export const termsOf = (slug: string): LedgerTerms => ({
  name: slug,
  finalAfter: FINAL_AFTER,
  fee: 1_000n,
  currencies: [
    { address: native, symbol: "LDG", decimals: 6 },
    { address: token, symbol: "USDC", decimals: 6 }
  ]
})

/** `solverHolds`: smallest units of each currency. */
export const holdings = (solverHolds: bigint) => {
  const users = accounts.map((user) => [user, USER_HOLDS] as const)
  return [[solver, solverHolds] as const, [funder, FUNDER_HOLDS] as const, ...users].flatMap(([holder, units]) =>
    currencies.map((currency) => [holder, currency, units] as const)
  )
}

export const genesisOf = (slug: string): string => identityOf(genesis(termsOf(slug), Math.floor(START / 1_000), []))
