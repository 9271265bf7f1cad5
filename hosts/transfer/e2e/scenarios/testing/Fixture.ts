/** Chains with constant gas, a host over them, and one sponsor: the fixture of all scenarios. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import type { Hex } from "viem"
import { addressOf, permit2 } from "../../../../localnet/nodes/ethereum/Addresses.ts"
import { payTo } from "../../../testing/Addressed.ts"
import { approve, itemOf, permitEnded, postSignature, quotePermit, signItem } from "../../../testing/PermitClient.ts"
import type { SignedItem } from "../../../testing/PermitClient.ts"
import { ended, execute, post, postQuote, QuoteAnswer, sendCall, status } from "../../../testing/Client.ts"
import { calm } from "../../../testing/FeePressure.ts"
import { startFixture } from "../../../testing/Fixture.ts"
import { eventually, orderIdOf } from "../../../testing/Misbehaving.ts"
import { keyOf, ledgerOf } from "../../../testing/Sponsor.ts"
import { actualOf } from "../../../testing/Sponsored.ts"
import { ETH, held, USDC, USDT } from "../../../testing/Tokens.ts"
import { startNetwork } from "../../../testing/TransferNetwork.ts"
import type { Asking, Played, Refused } from "./Played.ts"
import { hasZeroByte, settled, sponsor } from "./Sponsoring.ts"
import { addressed, signed } from "./Told.ts"

export const startScenarios = (settings: Readonly<Record<string, string>> = {}) =>
  startFixture(Effect.tap(startNetwork, calm), { sponsors: [sponsor], settings })
export type Fixture = Effect.Success<ReturnType<typeof startScenarios>>

/** A transfer of a scenario: by its own user, to a new account. */
export interface Play extends Asking {
  /** The number of the transfer. Its user is the one at this index, modulo the number of users. */
  readonly user: number
  readonly to: "USDC" | "USDT"
  /**
   * In USDT with a signature (Permit2). `approved`: what the user has approved for Permit2 before it asks, smallest
   * units.
   */
  readonly permit?: { readonly approved: bigint }
  /** By a deposit address. `sent`: the amount sent there, smallest units. `ends`: how the request ends then. */
  readonly address?: { readonly sent: bigint; readonly ends: "success" | "refund" }
}

export type Refusal = Pick<Play, "what" | "user" | "keyed" | "ask" | "to">

const recipientOf = ({ user }: Refusal): Hex => toHex(0xca5e_0000 + user, { size: 20 })

const refundToOf = ({ user }: Refusal): Hex => toHex(0xbac0_0000 + user, { size: 20 })

/** Native currency in millionths, as the page shows amounts; the vault's, which pays gas for nobody. */
const toppedUp = Effect.fnUntraced(function*({ chains: { beta } }: Fixture, play: Play) {
  const vault = addressOf("Vault")
  return {
    "beta: the recipient's ETH": (yield* held(beta, ETH, recipientOf(play))) / 10n ** 12n,
    [`beta: ${play.to} in the solver's vault`]: yield* held(beta, play.to === "USDC" ? USDC : USDT, vault),
    "beta: ETH in the solver's vault": (yield* held(beta, ETH, vault)) / 10n ** 12n
  }
})

const balancesOf = Effect.fnUntraced(function*(fixture: Fixture, play: Play) {
  const { chains: { alpha, beta, solver }, store } = fixture
  const out = play.to === "USDC" ? USDC : USDT
  const user = fixture.user(play.user)
  const from = play.permit === undefined ? USDC : USDT
  const [own, depository, recipient, paying, back, refunding] = yield* Effect.all([
    held(alpha, from, user),
    held(alpha, from, addressOf("Depository")),
    held(beta, out, recipientOf(play)),
    held(beta, out, solver),
    held(alpha, USDC, refundToOf(play)),
    held(alpha, USDC, solver)
  ])
  return {
    chains: {
      [`alpha: the user's ${from.symbol}`]: own,
      [`alpha: ${from.symbol} in the depository`]: depository,
      ...(play.address === undefined ? {} : { "alpha: USDC of refundTo": back, "alpha: the solver's USDC": refunding }),
      [`beta: the recipient's ${play.to}`]: recipient,
      ...("topupGas" in play.ask ? yield* toppedUp(fixture, play) : { [`beta: the solver's ${play.to}`]: paying })
    },
    ledger: yield* ledgerOf(store)
  }
})

const Addressed = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ depositAddress: Schema.TemplateLiteral(["0x", Schema.String]) }))
})

const Protocol = Schema.Struct({
  protocol: Schema.Struct({ v2: Schema.Struct({ orderId: Schema.TemplateLiteral(["0x", Schema.String]) }) })
})

/** The order's id. At a deposit address the step does not name it, but the quote's protocol data does. */
const orderOf = (answer: unknown, quoted: QuoteAnswer, { address }: Play) =>
  address === undefined ? orderIdOf(quoted) : Schema.decodeUnknownSync(Protocol)(answer).protocol.v2.orderId

/** Asks until the order's id has no zero byte. A zero byte would cost less gas, and gas must be equal in every run. */
const ask = Effect.fnUntraced(function*(url: string, asked: object, play: Play) {
  while (true) {
    const response = yield* post(
      `${url}/quote`,
      play.address === undefined ? asked : { ...asked, includeProtocolData: true },
      play.keyed ? keyOf(sponsor) : {}
    )
    assert.strictEqual(response.status, 200, response.text)
    const answer = response.json()
    const quoted = yield* Schema.decodeUnknownEffect(QuoteAnswer)(answer)
    if (!hasZeroByte(orderOf(answer, quoted, play))) return { answer, quoted }
  }
})

const requestOf = (fixture: Fixture, play: Refusal & Pick<Play, "permit">, atAddress: boolean) => ({
  user: fixture.user(play.user),
  recipient: recipientOf(play),
  ...(atAddress ? { refundTo: refundToOf(play) } : {}),
  originChainId: fixture.chains.alpha.chainId,
  destinationChainId: fixture.chains.beta.chainId,
  originCurrency: play.permit === undefined ? USDC.address : USDT.address,
  destinationCurrency: play.to === "USDC" ? USDC.address : USDT.address,
  tradeType: "EXACT_INPUT",
  ...(atAddress ? { useDepositAddress: true } : {}),
  ...play.ask
})

const pay = Effect.fnUntraced(function*(fixture: Fixture, play: Play, answer: unknown, quoted: QuoteAnswer) {
  const { chains: { alpha } } = fixture
  const key = fixture.key(play.user)
  if (play.address === undefined) return yield* Effect.asVoid(execute(alpha, key, quoted))
  const [step] = Schema.decodeUnknownSync(Addressed)(answer).steps
  yield* payTo(alpha, key, step?.depositAddress ?? assert.fail("no deposit address"), USDC, play.address.sent)
})

/** The end, with all its refunds. */
const endOf = Effect.fnUntraced(
  function*(
    url: string,
    quoted: QuoteAnswer,
    { address, ask: { amount } }: Play & { readonly ask: { readonly amount?: string } }
  ) {
    const end = yield* ended(url, quoted)
    assert.strictEqual(end.status, address?.ends ?? "success", JSON.stringify(end))
    if (address === undefined || amount === undefined || address.sent <= BigInt(amount)) return end
    return yield* eventually("the excess is back", status(url, quoted), ({ refunds }) => refunds[0]?.state === "paid")
  }
)

/** Asks, pays and waits, and records all balances before and after. */
export const perform = Effect.fnUntraced(function*(fixture: Fixture, play: Play) {
  const before = yield* balancesOf(fixture, play)
  const asked = requestOf(fixture, play, play.address !== undefined)
  const { answer, quoted } = yield* ask(fixture.url, asked, play)
  yield* pay(fixture, play, answer, quoted)
  const end = yield* endOf(fixture.url, quoted, play)
  const actual = yield* settled(fixture, answer, quoted, "appFees" in play.ask, before.ledger)
  const told = play.address === undefined ? [] : addressed({ sent: play.address.sent, end })
  return { play, asked, answer, actual, told, before, after: yield* balancesOf(fixture, play) } satisfies Played
})

/** The same by a signature: the user approves, if necessary, and signs. Everything else is done by others. */
export const performSigned = Effect.fnUntraced(
  function*(fixture: Fixture, play: Play & Required<Pick<Play, "permit">>) {
    const { chains: { alpha }, url } = fixture
    const key = fixture.key(play.user)
    const user = fixture.user(play.user)
    if (play.permit.approved > 0n) {
      yield* sendCall(alpha, key, {
        to: USDT.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [permit2, play.permit.approved] })
      })
    }
    const [before, gas] = [yield* balancesOf(fixture, play), yield* held(alpha, ETH, user)]
    const asked = requestOf(fixture, play, false)
    const { answer, item, quoted } = yield* askSigned(url, asked, play)
    yield* approve(alpha, key, quoted)
    const paidGas = (yield* held(alpha, ETH, user)) < gas
    const posted = yield* postSignature(url, item, yield* signItem(key, item))
    assert.strictEqual(posted.status, 200, posted.text)
    const end = yield* permitEnded(url, item)
    assert.strictEqual(end.status, "success", JSON.stringify(end))
    const actual = yield* eventually(
      "settled",
      actualOf(url, { steps: [{ requestId: requestIdOf(item) }] }),
      (each) => each !== undefined
    )
    const told = signed(quoted.steps.map(({ id }) => id), paidGas)
    return { play, asked, answer, actual, told, before, after: yield* balancesOf(fixture, play) } satisfies Played
  }
)

const WitnessOf = Schema.Struct({ witness: Schema.Struct({ orderId: Schema.TemplateLiteral(["0x", Schema.String]) }) })
const RequestOf = Schema.Struct({ requestId: Schema.TemplateLiteral(["0x", Schema.String]) })

const requestIdOf = (item: SignedItem): Hex => Schema.decodeUnknownSync(RequestOf)(item.data.post.body).requestId

const askSigned = Effect.fnUntraced(function*(url: string, asked: object, play: Play) {
  while (true) {
    const { quoted, text } = yield* quotePermit(url, asked, play.keyed ? keyOf(sponsor) : {})
    const item = itemOf(quoted)
    const { witness } = Schema.decodeUnknownSync(WitnessOf)(item.data.sign.value)
    if (!hasZeroByte(witness.orderId)) return { answer: JSON.parse(text) as unknown, item, quoted }
  }
})

/** Asks a question that is refused. */
export const refuse = Effect.fnUntraced(function*(fixture: Fixture, play: Refusal) {
  const asked = requestOf(fixture, play, true)
  const response = yield* postQuote(fixture.url, asked, play.keyed ? keyOf(sponsor) : {})
  return { play, asked, status: response.status, answer: response.json() } satisfies Refused
})
