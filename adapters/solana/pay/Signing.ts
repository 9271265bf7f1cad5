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
import { Effect, Result } from "effect"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import type { paymentMessage } from "./PaymentMessage.ts"
import { encodeSigned } from "./SignedBytes.ts"
import type { Lifetime } from "./SignedBytes.ts"
import type { SigningAccount } from "./SolverAccount.ts"
import type { sweepMessage } from "./SweepMessage.ts"
import { simulate } from "./Simulation.ts"

type Message = ReturnType<typeof paymentMessage> | ReturnType<typeof sweepMessage>

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

/** The newest block that a message can name, and how long such a message can be executed. */
export const recentBlock = async (client: SolanaClient) => {
  const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
  return { recent, lifetime: { lastValidBlockHeight: recent.lastValidBlockHeight, slot: context.slot } }
}
