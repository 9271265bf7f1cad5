/** Chains whose gas does not move and a host over them, with one sponsor: what a scenario is played on. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../../localnet/Addresses.ts"
import type { Anvil } from "../../../localnet/chains/Anvil.ts"
import { ended, execute, post, QuoteAnswer } from "../../testing/Client.ts"
import { eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { addSponsors, keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { held, USDC, USDT } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ONE_USDC = 1_000_000n

export const sponsor: TestSponsor = { id: "sponsor", wallet: toHex(0x50150, { size: 20 }), balance: 1_000n * ONE_USDC }

/** Without a base fee gas costs the same in every run, and the pages say the same. */
const calm = (anvil: Anvil) => anvil.request("anvil_setNextBlockBaseFeePerGas", ["0x0"])

export const startStage = Effect.gen(function*() {
  const network = yield* startNetwork
  const store = network.environment["DATABASE_URL"] ?? ""
  yield* addSponsors(store, [sponsor])
  yield* Effect.all([calm(network.chains.alpha), calm(network.chains.beta)])
  // The fees of the next blocks are told from those of the last.
  yield* Effect.sleep("2500 millis")
  const { url } = yield* network.startHost()
  return { ...network, store, url }
})
export type Stage = Effect.Success<typeof startStage>

/** A transfer that a scenario makes: by a user of its own, to an account that nobody has used. */
export interface Play {
  readonly what: string
  /** The place of the user among those of the network. */
  readonly user: number
  readonly keyed: boolean
  /** What is asked beside user, recipient and the route. */
  readonly ask: object
  readonly to: "USDC" | "USDT"
}

/** What is counted, by what it is called on a page; smallest units, six decimals each. */
export type Balances = Readonly<Record<string, bigint>>

export interface Played {
  readonly play: Play
  readonly asked: object
  readonly answer: unknown
  readonly actual: unknown
  readonly before: { readonly chains: Balances; readonly ledger: Balances }
  readonly after: { readonly chains: Balances; readonly ledger: Balances }
}

const recipientOf = ({ user }: Play): Hex => toHex(0xca5e_0000 + user, { size: 20 })

const balancesOf = Effect.fnUntraced(function*({ chains: { alpha, beta, solver, users }, store }: Stage, play: Play) {
  const out = play.to === "USDC" ? USDC : USDT
  const user = privateKeyToAccount(users[play.user] ?? "0x").address
  const [own, depository, recipient, paying] = yield* Effect.all([
    held(alpha, USDC, user),
    held(alpha, USDC, addressOf("Depository")),
    held(beta, out, recipientOf(play)),
    held(beta, out, solver)
  ])
  return {
    chains: {
      "alpha: the user's USDC": own,
      "alpha: USDC in the depository": depository,
      [`beta: the recipient's ${play.to}`]: recipient,
      [`beta: the solver's ${play.to}`]: paying
    },
    ledger: yield* ledgerOf(store)
  }
})

const Sponsored = Schema.Struct({ feeSponsorship: Schema.Unknown })

/** Waits until everything that follows from a fill is booked: what a sponsor pays, and app fees. */
const settled = Effect.fnUntraced(function*(stage: Stage, answer: unknown, quoted: QuoteAnswer, appFees: boolean, before: Balances) {
  const actual = Schema.is(Sponsored)(answer)
    ? yield* eventually("settled", actualOf(stage.url, quoted), (each) => each !== undefined)
    : yield* Effect.as(Effect.sleep("3 seconds"), undefined)
  const fees = (ledger: Balances) => Object.entries(ledger).filter(([account]) => account.startsWith("AppFee")).reduce((sum, [, units]) => sum + units, 0n)
  if (appFees) yield* eventually("booked", ledgerOf(stage.store), (ledger) => fees(ledger) > fees(before))
  return actual
})

const hasZeroByte = (id: Hex): boolean => [...id.slice(2).matchAll(/../g)].some(([byte]) => byte === "00")

/** Asks again for an order whose id has no zero byte, which would be cheaper to carry: gas is the same in every run then. */
const ask = Effect.fnUntraced(function*(url: string, asked: object, { keyed }: Play) {
  while (true) {
    const response = yield* post(`${url}/quote`, asked, keyed ? keyOf(sponsor) : {})
    assert.strictEqual(response.status, 200, response.text)
    const answer = response.json()
    const quoted = yield* Schema.decodeUnknownEffect(QuoteAnswer)(answer)
    if (!hasZeroByte(orderIdOf(quoted))) return { answer, quoted }
  }
})

/** Asks, pays and waits, and writes down what everybody had before and after. */
export const perform = Effect.fnUntraced(function*(stage: Stage, play: Play) {
  const { chains, url } = stage
  const key = chains.users[play.user] ?? "0x"
  const before = yield* balancesOf(stage, play)
  const asked = {
    user: privateKeyToAccount(key).address,
    recipient: recipientOf(play),
    originChainId: chains.alpha.chainId,
    destinationChainId: chains.beta.chainId,
    originCurrency: USDC.address,
    destinationCurrency: play.to === "USDC" ? USDC.address : USDT.address,
    tradeType: "EXACT_INPUT",
    ...play.ask
  }
  const { answer, quoted } = yield* ask(url, asked, play)
  yield* execute(chains.alpha, key, quoted)
  const end = yield* ended(url, quoted)
  assert.strictEqual(end.status, "success", JSON.stringify(end))
  const actual = yield* settled(stage, answer, quoted, "appFees" in play.ask, before.ledger)
  return { play, asked, answer, actual, before, after: yield* balancesOf(stage, play) } satisfies Played
})
