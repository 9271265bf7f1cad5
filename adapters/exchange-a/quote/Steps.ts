/**
 * Orders with an exchange A origin as steps (EXCHANGEA-8): the user signs which order the nonce is for, then the
 * transfer with that nonce, which its client posts to the exchange itself: to the depository, or of a send to its
 * recipient. A deposit address is paid by one plain transfer (EXCHANGEA-30). The transfer takes the money from where the
 * user's mode keeps it (EXCHANGEA-36).
 */
import { Effect, Layer } from "effect"
import { DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import { paymentIdOf } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { mappingData, transferData } from "../../../src/domain/families/exchange-a/steps/StepData.ts"
import type { ExchangeAPayment } from "../../../src/domain/families/exchange-a/steps/StepData.ts"
import { payableFloor } from "../../../src/domain/money/Currency.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import { readFee } from "../pay/NewAccountFee.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { forStrangers } from "../../endpoints/AskedFor.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeAFault, ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { NonceClock } from "./NonceClock.ts"
import { readSource } from "./Source.ts"
import type { Source } from "./Source.ts"

/** 0x and the 40 digits of an account. */
const ACCOUNT_LENGTH = 42

/** Of a hash: no key of it is known, and before the quote nobody can compute it. */
const accountNobodyHas = (origin: Chain, user: Address, nonce: number): Address =>
  asAddress(paymentIdOf(origin, user, BigInt(nonce)).slice(0, ACCOUNT_LENGTH))

interface Origin {
  /** The token's. */
  readonly tokenName: string
  readonly source: Source
  /** What the transfer costs the user besides, smallest units of USDC. Undefined when nobody may pay this account. */
  readonly gas: bigint | undefined
}

/** The exchange takes a fee for the first transfer to an account, from its sender. The depository has one. */
const readGas = ({ origin, user, way }: DepositIntent, nonce: number, client: ExchangeAClient, deadline: number) => {
  if (way._tag === "Send") return readFee(client, { recipient: way.recipient, source: user }, deadline)
  if (way._tag !== "Address") return Effect.succeed(0n)
  // The address is not known yet. Nobody can have paid this account, and so it costs the same.
  const recipient = way.address ?? accountNobodyHas(origin, user, nonce)
  return Effect.flatMap(
    readFee(client, { recipient, source: user }, deadline),
    (fee): Effect.Effect<bigint, ExchangeAFault> =>
      fee === undefined ? Effect.fail("contradiction") : Effect.succeed(fee)
  )
}

const readOrigin = (intent: DepositIntent, nonce: number): ExchangeARead<Origin> =>
  Effect.fnUntraced(function*(client, deadline) {
    const { currency, user } = intent
    const { byId } = yield* readTokens(client, deadline)
    const tokenName = byId.get(assetOf(currency.address).tokenId)?.name
    // The configuration was checked against this list: the endpoint is of another network, or has no list.
    if (tokenName === undefined) return yield* Effect.fail("contradiction" as const)
    return yield* Effect.all({
      tokenName: Effect.succeed(tokenName),
      source: readSource(client, user, currency, tokenName, deadline),
      gas: readGas(intent, nonce, client, deadline)
    }, { concurrency: 2 })
  })

/** Without `check`: clients wait for every check that they see, and the deposit comes after it. */
const authorizeStep = ({ origin, user }: DepositIntent, nonce: number, { orderId, requestId }: NamedDeposit): Step => ({
  id: "authorize",
  action: "Sign in your wallet",
  description: `Sign which order the transfer on ${origin.name} is for`,
  kind: "signature",
  requestId,
  items: [{ status: "incomplete", data: mappingData(origin, user, orderId, nonce) }]
})

/** The deposit address that the steps pay. */
const addressOf = ({ way }: DepositIntent, { depositAddress }: NamedDeposit): Address | undefined => {
  if (way._tag !== "Address") return undefined
  const address = way.address ?? depositAddress
  if (address === undefined) throw new Error("a deposit by an address has none")
  return address
}

const payStep = (intent: DepositIntent, payment: ExchangeAPayment, named: NamedDeposit): Step => {
  const { currency, origin, way } = intent
  const depositAddress = addressOf(intent, named)
  const payee = way._tag === "Send" ? way.recipient : depositAddress ?? origin.depository
  return {
    id: way._tag === "Send" ? "send" : "deposit",
    action: "Confirm transaction in your wallet",
    description: `${way._tag === "Send" ? "Send" : "Deposit"} ${currency.symbol} on ${origin.name}`,
    kind: "transaction",
    requestId: named.requestId,
    ...(depositAddress === undefined ? {} : { depositAddress }),
    items: [{
      status: "incomplete",
      data: transferData(origin, payee, payment),
      check: { endpoint: named.checkEndpoint, method: "GET" }
    }]
  }
}

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const nonces = new NonceClock()
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const { amount, currency, origin, way } = intent
        if (way._tag !== "Depository" && way._tag !== "Address" && way._tag !== "Send") {
          return yield* Effect.die(new Error(`no ${way._tag} on exchange A: it was to be refused before`))
        }
        if (amount !== payableFloor(amount, currency)) {
          return yield* Effect.die(new Error("no exact amount of exchange A: it was to be rounded before"))
        }
        const nonce = yield* nonces.next
        const { gas, source, tokenName } = yield* rpc.call(
          origin,
          "deposit",
          (client) => client.read(forStrangers(readOrigin(intent, nonce)))
        )
        if (gas === undefined) return yield* new DepositUnfit({ reason: { _tag: "NobodyPaysRecipient" } })
        return {
          userBalance: source.held,
          gas,
          steps: (named) => [
            ...(way._tag === "Address" ? [] : [authorizeStep(intent, nonce, named)]),
            payStep(intent, { currency, amount, sourceDex: source.dex, tokenName, nonce }, named)
          ]
        } satisfies PreparedDeposit
      })
    })
  })
)
