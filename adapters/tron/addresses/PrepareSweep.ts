/**
 * The sweep of a deposit address, ready to be signed (TRON-21): the transaction of the address's own key, and before it
 * the solver's transfer of the TRX that it needs.
 *
 * Both are signed together, name one block, expire together and are stored as one payment. So a kill between the two
 * changes nothing: the stored bytes are sent on. The payment's id is that of the second transaction. When both have
 * expired and only the transfer was executed, its TRX are at the address when the next attempt is made (`shortageOf`).
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { PreparedPayment, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { fundingTimestamp } from "../../../src/domain/families/tron/addresses/Funding.ts"
import { tron } from "../../../src/domain/families/tron/Rules.ts"
import { timestampOf } from "../../../src/domain/families/tron/payment/Lifetime.ts"
import { writeStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { transactionIdOf, writeRawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { TronPrices } from "../cost/TronPrices.ts"
import { readReference } from "../pay/Reference.ts"
import type { Reference } from "../pay/Reference.ts"
import type { KeyAccount, SolverAccount } from "../pay/SolverAccount.ts"
import type { TronRpc } from "../rpc/TronRpc.ts"
import { trySweep } from "./TrySweep.ts"
import type { TriedSweep } from "./TrySweep.ts"
import { witnessSweep } from "./WitnessSweep.ts"

/** SECURITY: with another seed, or another row of the store, the money would be another address's. */
const keyOf = Effect.fnUntraced(
  function*({ depositAccount }: SolverAccount["Service"], { sweep: { address, key } }: SweepPayment) {
    if (depositAccount === undefined || key === undefined) {
      return yield* Effect.die(new Error("a process without the seed of deposit addresses was to sweep one"))
    }
    const account = yield* depositAccount(key)
    return account.address === address ? account : yield* Effect.die(
      new Error(`the key of the deposit address ${address} does not follow from the seed that this process has`)
    )
  }
)

const signedBy = Effect.fnUntraced(
  function*({ sign }: KeyAccount, parts: RawData) {
    const rawData = writeRawData(parts)
    return { rawData, signature: yield* sign(sha256(rawData)) }
  }
)

export interface SweepPorts {
  readonly rpc: TronRpc["Service"]
  readonly prices: TronPrices["Service"]
  readonly signers: SolverAccount["Service"]
}

export const sweepPreparation = ({ prices, rpc, signers }: SweepPorts) => {
  const { account, lifetimeMinutes } = signers

  const signed = Effect.fnUntraced(function*(
    key: KeyAccount,
    { body, feeLimit, funding }: TriedSweep,
    { block, expiration }: Reference,
    sequence: bigint
  ): Effect.fn.Return<SignedPayment, SignerUnavailable> {
    const lifetime = { reference: block, expiration }
    const sweep = yield* signedBy(key, { ...body, ...lifetime, feeLimit, timestamp: timestampOf(block, sequence) })
    const sent = funding === undefined
      ? undefined
      : yield* signedBy(account, { ...funding, ...lifetime, feeLimit: 0n, timestamp: fundingTimestamp(sequence) })
    return {
      transactionId: Result.getOrThrow(parseTransactionId(tron, transactionIdOf(sweep.rawData))),
      raw: writeStored(sweep, block.height, sent)
    }
  })

  return Effect.fnUntraced(function*(
    payment: SweepPayment
  ): Effect.fn.Return<PreparedPayment, ChainUnavailable | PaymentRefused | SignerUnavailable> {
    const { chain } = payment
    const key = yield* keyOf(signers, payment)
    const known = yield* prices.of(chain)
    const { reference, tried } = yield* rpc.call(
      chain,
      "sweep preparation",
      (client) =>
        client.read((node, deadline) =>
          Effect.all({
            reference: readReference(node, lifetimeMinutes, deadline),
            tried: trySweep(node, account, payment, known, deadline)
          }, { concurrency: "unbounded" })
        )
    )
    if (tried._tag === "PaymentRefused") return yield* tried
    const { cost, held } = tried
    if (cost > held) return yield* new PaymentRefused({ reason: "insufficient-funds" })
    yield* witnessSweep(rpc, account, payment, reference.block, tried)
    return {
      account: account.address,
      chainSequence: 0n,
      costs: [{ holder: account.address, currency: chain.native.address, amount: cost, balance: held }],
      sign: (sequence) => signed(key, tried, reference, sequence)
    }
  })
}
