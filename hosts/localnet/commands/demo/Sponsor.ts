/**
 * The demo sponsor: an API key, linked to one of the accounts by that account's signature, and 1,000 USDC of app
 * balance, which the account paid in on chain like any sponsor. Made at the first start and stored with the state.
 */
import { Effect, Option, Result, Schema } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { encodeCreditCalldata } from "../../../../src/domain/ledger/CreditCalldata.ts"
import { ethereumAddresses } from "../../../../src/domain/families/ethereum/EthereumAddresses.ts"
import { addressOf } from "../../nodes/ethereum/Addresses.ts"
import { readJson, write } from "../../run/state/AtomicFile.ts"
import type { Anvil } from "../../nodes/ethereum/Anvil.ts"
import type { Keys } from "../../run/state/Keys.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { Paths } from "../../run/state/Paths.ts"
import { ask, issueKey } from "../../run/services/ServiceKey.ts"
import { settlementSlug } from "../../run/Slug.ts"
import { call } from "./Wallet.ts"

/** The sponsor's payment, in smallest units: 1,000 USDC. */
const CREDIT = 1_000_000_000n

const Kept = Schema.Struct({ apiKey: Schema.String.check(Schema.isMinLength(32)) })

/** The sponsor as `localnet.json` describes it. */
export interface Sponsor {
  readonly apiKey: string
  readonly sponsorWallet: Hex
  /** Decimal dollars that it may spend. */
  readonly balanceUsd: string
}

interface Of {
  readonly keys: Keys
  readonly settlement: Pick<Anvil, "chainId" | "request" | "url">
}

/** The last account: the first ones are for users of the network. */
const accountOf = ({ accounts }: Keys) => privateKeyToAccount(accounts.at(-1) ?? "0x")

/** Sends the sponsor's payment, on the settlement chain. */
export const payIn = Effect.fn("Sponsor.payIn")(function*({ keys, settlement: { chainId, url } }: Of) {
  const account = accountOf(keys)
  const data = Result.gen(function*() {
    const solver = yield* ethereumAddresses.parse(privateKeyToAccount(keys.solver).address)
    const wallet = yield* ethereumAddresses.parse(account.address)
    return yield* encodeCreditCalldata({ solver, amount: CREDIT, credited: { _tag: "Wallet", wallet } })
  })
  const bytes = yield* Effect.fromResult(data).pipe(
    Effect.mapError((error) => new LocalnetError({ message: reasonOf(error) }))
  )
  const access = { id: settlementSlug, chainId, rpcUrl: url }
  yield* call(access, keys.accounts.at(-1) ?? "0x", addressOf("TestUSDC"), `0x${bytes.slice(2)}`)
})

/** Makes a key as the operator, and links it by the account's signature. */
const makeKey = Effect.fnUntraced(function*(url: string, keys: Keys) {
  const account = accountOf(keys)
  const key = yield* issueKey(url, keys, "demo")
  const own = { "x-api-key": key }
  const { message } = yield* ask(`${url}/api-keys/wallets/challenge`, Schema.Struct({ message: Schema.String }), own, {
    wallet: account.address
  })
  const signature = yield* Effect.promise(() => account.signMessage({ message }))
  yield* ask(`${url}/api-keys/wallets`, Schema.Struct({ wallet: Schema.String }), own, { message, signature })
  return key
})

const Balance = Schema.Struct({ amount: Schema.String, availableBalanceUsd: Schema.String })

/** The balance as the service shows it. At the first start it waits until the payment is credited. */
const balanceOf = (url: string, wallet: string, isFirst: boolean) => {
  const now = ask(`${url}/app-fees/${wallet}/balances`, Balance)
  if (!isFirst) return now
  return now.pipe(
    Effect.tap(({ amount }) => amount === "0" ? Effect.sleep(25) : Effect.void),
    Effect.repeat({ until: ({ amount }) => amount !== "0" }),
    // If the account was used for something else, the network starts anyway, with a sponsor without money.
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => now })
  )
}

/** The account's key has no other user: its first transaction was the payment. */
const hasPaid = ({ keys, settlement }: Of) =>
  Effect.map(
    settlement.request("eth_getTransactionCount", [accountOf(keys).address, "latest"]),
    (count) => count !== "0x0"
  )

/** The sponsor of a network whose transfer service answers. `origin`: whether the payment is already on the chain. */
export const prepare = Effect.fn("Sponsor.prepare")(
  function*(paths: Paths, of: Of, url: string, origin: "kept" | "fresh") {
    const kept = yield* readJson(paths.sponsor, Kept)
    const isFirst = Option.isNone(kept)
    // The network of an earlier version, or a first start that was interrupted after the payment.
    if (isFirst && origin === "kept" && !(yield* hasPaid(of))) yield* payIn(of)
    const apiKey = isFirst ? yield* makeKey(url, of.keys) : kept.value.apiKey
    const { address } = accountOf(of.keys)
    const { availableBalanceUsd } = yield* balanceOf(url, address, isFirst)
    // Last: a start that is interrupted before this makes another key.
    if (isFirst) yield* write(paths.sponsor, `${JSON.stringify({ apiKey } satisfies typeof Kept.Type)}\n`)
    return { apiKey, sponsorWallet: address, balanceUsd: availableBalanceUsd } satisfies Sponsor
  }
)
