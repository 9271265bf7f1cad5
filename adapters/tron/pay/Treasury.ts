/**
 * The solver's payments on Tron (TRON-7 to TRON-9): transfers of TRX that name their order in a memo, and calls of a
 * token's `transfer` that name it behind the arguments. One account makes them. It has no vault. Sweeps are made by
 * deposit addresses, and the account sends them the TRX for that (TRON-21).
 *
 * There is no nonce. A second payment is impossible because the first is proven dead before another is signed: its
 * bytes may be broadcast any number of times until they expire, the chain executes one id at most once, and nothing
 * replaces it meanwhile.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect, Layer, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentCost, PreparedPayment, SignedPayment, Variants } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import { timestampOf } from "../../../src/domain/families/tron/payment/Lifetime.ts"
import { readStored, writeStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import type { StoredPayment } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { transactionIdOf, writeRawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { paymentRead } from "../../endpoints/PaymentRead.ts"
import { sweepPreparation } from "../addresses/PrepareSweep.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import { readAccount } from "../quote/TryCall.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronClient } from "../rpc/TronRpc.ts"
import { broadcast } from "./Broadcasting.ts"
import { readOutcome } from "./Landing.ts"
import { readReference } from "./Reference.ts"
import type { Reference } from "./Reference.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { readTokens, tryPayment } from "./TryPayment.ts"
import type { TriedPayment } from "./TryPayment.ts"
import { witnessPayment } from "./WitnessPayment.ts"

/** Dies for text that this adapter never wrote: then the store was changed from outside. */
const storedPayment = (raw: string): StoredPayment => {
  const stored = readStored(raw)
  if (stored === undefined) throw new Error("a stored payment is not as the Tron adapter writes them")
  return stored
}

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const prices = yield* TronPrices
    const signers = yield* SolverAccount
    const { account, lifetimeMinutes } = signers
    const prepareSweep = sweepPreparation({ rpc, prices, signers })

    const signedOnce = Effect.fnUntraced(function*(
      { body, feeLimit }: TriedPayment,
      { block, expiration }: Reference,
      sequence: bigint
    ): Effect.fn.Return<SignedPayment, SignerUnavailable> {
      const timestamp = timestampOf(block, sequence)
      const rawData = writeRawData({ ...body, reference: block, expiration, timestamp, feeLimit })
      const signature = yield* account.sign(sha256(rawData))
      return {
        transactionId: Result.getOrThrow(parseTransactionId(families["tron-vm"], transactionIdOf(rawData))),
        raw: writeStored({ rawData, signature }, block.height)
      }
    })

    const costsOf = (
      { amount, chain, currency }: Payment,
      { fee, held, tokens }: TriedPayment
    ): ReadonlyArray<PaymentCost> => [
      {
        holder: account.address,
        currency: chain.native.address,
        amount: fee + (tokens === undefined ? amount : 0n),
        balance: held
      },
      ...(tokens === undefined
        ? []
        : [{ holder: account.address, currency: currency.address, amount, balance: tokens }])
    ]

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const { chain } = payment
      if (payment._tag === "Sweep") return yield* prepareSweep(payment)
      // No vault and no router pay here, and nothing is executed for others.
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const known = yield* prices.of(chain)
      const { reference, tried } = yield* rpc.call(
        chain,
        "payment preparation",
        (client) =>
          client.read((node, deadline) =>
            Effect.all({
              reference: readReference(node, lifetimeMinutes, deadline),
              tried: tryPayment(node, account, payment, known, "pay", deadline)
            }, { concurrency: "unbounded" })
          )
      )
      if (tried._tag === "PaymentRefused") return yield* tried
      const costs = costsOf(payment, tried)
      if (costs.some(({ amount, balance }) => amount > balance)) {
        return yield* new PaymentRefused({ reason: "insufficient-funds" })
      }
      yield* witnessPayment(rpc, chain, reference.block, tried)
      return {
        account: account.address,
        // Nothing on the chain counts the account's payments. The store does.
        chainSequence: 0n,
        costs,
        // A call, and not of a token: it runs its recipient's code, at most for what is counted here.
        ...(tried.body.act._tag === "Trigger" && tried.tokens === undefined
          ? { mostGas: tried.fee, runsCode: true as const, codeUnits: tried.energy }
          : {}),
        sign: (sequence) => signedOnce(tried, reference, sequence)
      } satisfies PreparedPayment
    })

    const inventory = (chain: Chain, currency: Currency): Effect.Effect<bigint, ChainUnavailable> => {
      const token = currency.isNative ? undefined : Result.getOrThrow(accountOfTron(currency.address))
      return rpc.call(
        chain,
        "inventory",
        (client) =>
          client.read((node, deadline) =>
            token === undefined
              ? Effect.map(readAccount(node, account.address, deadline), ({ balance }) => balance)
              : readTokens(node, token, account.evm, deadline)
          )
      )
    }

    const outcomeOf = (chain: Chain, variants: Variants) => (client: TronClient) =>
      client.read(
        readOutcome(
          chain,
          variants.map(({ raw, transactionId }) => {
            const stored = storedPayment(raw)
            return { ...stored, transactionId, isSweep: stored.transaction.owner !== account.evm }
          })
        )
      )

    return Treasury.of({
      inventory: (chain, currency, holding) =>
        holding === "account"
          ? Effect.map(inventory(chain, currency), (held) => [held])
          : Effect.succeed([0n]),
      prepare,
      broadcast: (chain, { raw }) => broadcast(rpc, chain, storedPayment(raw)),
      outcome: (chain, variants, by) => rpc.witnessed(chain, paymentRead(outcomeOf(chain, variants)), by),
      replacing: () => undefined
    })
  })
)
