/** Chains whose gas does not move and a host over them, with one sponsor: what a scenario is played on. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../../localnet/Addresses.ts"
import type { Anvil } from "../../../localnet/chains/Anvil.ts"
import { payTo } from "../../testing/Addressed.ts"
import { ended, execute, post, QuoteAnswer, status } from "../../testing/Client.ts"
import type { StatusAnswer } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
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
  /** The number of the transfer; the user has this place among those of the network, counted round. */
  readonly user: number
  readonly keyed: boolean
  /** What is asked beside user, recipient and the route. */
  readonly ask: object
  readonly to: "USDC" | "USDT"
  /** By a deposit address, which is sent this much (smallest units), and how the request ends then. */
  readonly address?: { readonly sent: bigint; readonly ends: "success" | "refund" }
}

/** A request that is refused. */
export type Refusal = Pick<Play, "what" | "user" | "keyed" | "ask" | "to">

export interface Refused {
  readonly play: Refusal
  readonly asked: object
  readonly status: number
  readonly answer: unknown
}

/** What is counted, by what it is called on a page; smallest units, six decimals each. */
export type Balances = Readonly<Record<string, bigint>>

export interface Played {
  readonly play: Play
  readonly asked: object
  readonly answer: unknown
  readonly actual: unknown
  /** What the status endpoint says in the end. */
  readonly end: StatusAnswer
  readonly before: { readonly chains: Balances; readonly ledger: Balances }
  readonly after: { readonly chains: Balances; readonly ledger: Balances }
}

const recipientOf = ({ user }: Refusal): Hex => toHex(0xca5e_0000 + user, { size: 20 })

const refundToOf = ({ user }: Refusal): Hex => toHex(0xbac0_0000 + user, { size: 20 })

const keyOfUser = ({ chains: { users } }: Stage, { user }: Refusal): Hex => users[user % users.length] ?? "0x"

const balancesOf = Effect.fnUntraced(function*(stage: Stage, play: Play) {
  const { chains: { alpha, beta, solver }, store } = stage
  const out = play.to === "USDC" ? USDC : USDT
  const user = privateKeyToAccount(keyOfUser(stage, play)).address
  const [own, depository, recipient, paying, back, refunding] = yield* Effect.all([
    held(alpha, USDC, user),
    held(alpha, USDC, addressOf("Depository")),
    held(beta, out, recipientOf(play)),
    held(beta, out, solver),
    held(alpha, USDC, refundToOf(play)),
    held(alpha, USDC, solver)
  ])
  return {
    chains: {
      "alpha: the user's USDC": own,
      "alpha: USDC in the depository": depository,
      ...(play.address === undefined ? {} : { "alpha: USDC of refundTo": back, "alpha: the solver's USDC": refunding }),
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

const Addressed = Schema.Struct({ steps: Schema.Array(Schema.Struct({ depositAddress: Schema.TemplateLiteral(["0x", Schema.String]) })) })

const RecordOfAddress = Schema.Struct({ orderId: Schema.TemplateLiteral(["0x", Schema.String]) })

/** The order's id: at a deposit address the step does not name it, and the address's record does. */
const orderOf = Effect.fnUntraced(function*(url: string, quoted: QuoteAnswer, { address }: Play) {
  if (address === undefined) return orderIdOf(quoted)
  const record = yield* get(`${url}/deposit-addresses?requestId=${quoted.steps[0]?.requestId ?? ""}`)
  return Schema.decodeUnknownSync(RecordOfAddress)(record.json()).orderId
})

/** Asks again for an order whose id has no zero byte, which would be cheaper to carry: gas is the same in every run then. */
const ask = Effect.fnUntraced(function*(url: string, asked: object, play: Play) {
  while (true) {
    const response = yield* post(`${url}/quote`, asked, play.keyed ? keyOf(sponsor) : {})
    assert.strictEqual(response.status, 200, response.text)
    const answer = response.json()
    const quoted = yield* Schema.decodeUnknownEffect(QuoteAnswer)(answer)
    if (!hasZeroByte(yield* orderOf(url, quoted, play))) return { answer, quoted }
  }
})

const requestOf = (stage: Stage, play: Refusal, atAddress: boolean) => ({
  user: privateKeyToAccount(keyOfUser(stage, play)).address,
  recipient: recipientOf(play),
  ...(atAddress ? { refundTo: refundToOf(play) } : {}),
  originChainId: stage.chains.alpha.chainId,
  destinationChainId: stage.chains.beta.chainId,
  originCurrency: USDC.address,
  destinationCurrency: play.to === "USDC" ? USDC.address : USDT.address,
  tradeType: "EXACT_INPUT",
  ...(atAddress ? { useDepositAddress: true } : {}),
  ...play.ask
})

const pay = Effect.fnUntraced(function*(stage: Stage, play: Play, answer: unknown, quoted: QuoteAnswer) {
  const { chains: { alpha } } = stage
  const key = keyOfUser(stage, play)
  if (play.address === undefined) return yield* Effect.asVoid(execute(alpha, key, quoted))
  const [step] = Schema.decodeUnknownSync(Addressed)(answer).steps
  yield* payTo(alpha, key, step?.depositAddress ?? assert.fail("no deposit address"), USDC, play.address.sent)
})

/** The end, with every refund leg that follows from it. */
const endOf = Effect.fnUntraced(function*(url: string, quoted: QuoteAnswer, { address, ask: { amount } }: Play & { readonly ask: { readonly amount?: string } }) {
  const end = yield* ended(url, quoted)
  assert.strictEqual(end.status, address?.ends ?? "success", JSON.stringify(end))
  if (address === undefined || amount === undefined || address.sent <= BigInt(amount)) return end
  return yield* eventually("the excess is back", status(url, quoted), ({ refunds }) => refunds[0]?.state === "paid")
})

/** Asks, pays and waits, and writes down what everybody had before and after. */
export const perform = Effect.fnUntraced(function*(stage: Stage, play: Play) {
  const before = yield* balancesOf(stage, play)
  const asked = requestOf(stage, play, play.address !== undefined)
  const { answer, quoted } = yield* ask(stage.url, asked, play)
  yield* pay(stage, play, answer, quoted)
  const end = yield* endOf(stage.url, quoted, play)
  const actual = yield* settled(stage, answer, quoted, "appFees" in play.ask, before.ledger)
  return { play, asked, answer, actual, end, before, after: yield* balancesOf(stage, play) } satisfies Played
})

/** Asks for what is refused. */
export const refuse = Effect.fnUntraced(function*(stage: Stage, play: Refusal) {
  const asked = requestOf(stage, play, true)
  const response = yield* post(`${stage.url}/quote`, asked, play.keyed ? keyOf(sponsor) : {})
  return { play, asked, status: response.status, answer: response.json() } satisfies Refused
})
