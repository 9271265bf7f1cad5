/**
 * Simulates and signs the solver's messages. SECURITY: a node never sees a signature before it is stored, so
 * simulations are unsigned.
 */
import {
  assertIsFullySignedTransaction,
  compileTransaction,
  getSignatureFromTransaction,
  signatureBytes
} from "@solana/kit"
import type { Blockhash } from "@solana/kit"
import { Duration, Effect, Result, Schedule } from "effect"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ReadingRule } from "../../../src/domain/quorum/AgreeOnReading.ts"
import type { SolanaClient, SolanaRpc } from "../rpc/SolanaRpc.ts"
import { encodeSigned } from "./SignedBytes.ts"
import type { Lifetime } from "./SignedBytes.ts"
import type { SigningAccount } from "./SolverAccount.ts"
import { simulate } from "./Simulation.ts"

/** An endpoint that is a block behind does not know the blockhash yet. */
const lifetimeRule: ReadingRule<boolean> = {
  same: (left, right) => left === right,
  combine: ([first]) => first,
  claims: (isRight) => isRight ? "proven" : "open"
}

/**
 * A confirmed block is hardly older than the time that it takes to other endpoints (SOLANA-27): these have it a little later.
 * So they are asked again, which takes a fraction of what the payment has.
 */
const OTHERS_LATER = { schedule: Schedule.spaced(Duration.millis(250)), times: 8 } as const

/** The endpoints know different blocks, or too few know this one. */
const isLate = ({ kind }: ChainUnavailable): boolean => kind === "behind" || kind === "divided"

type Message = Parameters<typeof compileTransaction>[0]

/** Simulates the transaction as it would be sent, but unsigned. */
export const isCarriedOut = async (client: SolanaClient, message: Message): Promise<boolean> =>
  (await simulate(client, compileTransaction(message))).err === null

const signatureBy = Effect.fnUntraced(function*({ address, sign }: SigningAccount, bytes: Uint8Array) {
  return [address, signatureBytes(yield* sign(bytes))] as const
})

/** `by`: the signers of the message. A missing signature is a defect, and nothing is returned. */
export const signed = Effect.fnUntraced(function*(
  message: Message,
  lifetime: Lifetime,
  by: ReadonlyArray<SigningAccount>
): Effect.fn.Return<SignedPayment, SignerUnavailable> {
  const compiled = compileTransaction(message)
  const bytes = new Uint8Array(compiled.messageBytes)
  const made = yield* Effect.forEach(by, (each) => signatureBy(each, bytes), { concurrency: "unbounded" })
  const transaction = { ...compiled, signatures: { ...compiled.signatures, ...Object.fromEntries(made) } }
  assertIsFullySignedTransaction(transaction)
  return {
    transactionId: Result.getOrThrow(
      parseTransactionId(families["solana-vm"], getSignatureFromTransaction(transaction))
    ),
    raw: encodeSigned(transaction, lifetime)
  }
})

/**
 * SECURITY: a payment is signed again once it has expired, so the quorum must confirm how long it can be executed: the
 * blockhash is known and valid, and the height and slot that were given with it are not too low.
 */
export const witnessLifetime = (
  rpc: SolanaRpc["Service"],
  chain: Chain,
  blockhash: Blockhash,
  { lastValidBlockHeight, slot }: Lifetime
): Effect.Effect<void, ChainUnavailable> =>
  rpc.isAlone(chain) ? Effect.void : rpc.witnessed(chain, {
    operation: "lifetime of a payment",
    call: async (client) => {
      const [height, { context, value: isValid }] = await Promise.all([
        client.getBlockHeight({ commitment: "processed" }).send(),
        client.isBlockhashValid(blockhash, { commitment: "processed" }).send()
      ])
      return isValid && height <= lastValidBlockHeight && slot <= context.slot
    },
    rule: lifetimeRule,
    rests: () => true
  }, "quorum").pipe(
    Effect.filterOrFail(
      (isRight) => isRight,
      () => new ChainUnavailable({ chain: chain.slug, operation: "lifetime of a payment", kind: "behind" })
    ),
    Effect.retry({ ...OTHERS_LATER, while: isLate }),
    Effect.asVoid
  )

/** The newest block that a message can name, and how long such a message can be executed. */
export const recentBlock = async (client: SolanaClient) => {
  const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
  return { recent, lifetime: { lastValidBlockHeight: recent.lastValidBlockHeight, slot: context.slot } }
}
