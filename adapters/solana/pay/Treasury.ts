/**
 * The solver's payments on Solana: transactions of its own account that name a recent block, and expire with it; and
 * sweeps of deposit addresses, which their keys sign beside it.
 *
 * There is no nonce. What makes a second payment impossible is that the first is proven dead before another is signed
 * (`isExpired`): its bytes may be broadcast any number of times while its blockhash is recent, one signature is carried
 * out once, and nothing takes its place while it may live. SECURITY: a node is never shown a signature before it is
 * stored; what is tried is tried unsigned.
 */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import {
  assertIsFullySignedTransaction,
  compileTransaction,
  createNoopSigner,
  getSignatureFromTransaction,
  isSignature,
  isSolanaError,
  signatureBytes,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__INSTRUCTION_ERROR__INSUFFICIENT_FUNDS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT
} from "@solana/kit"
import type { Signature } from "@solana/kit"
import { Effect, Layer, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import { holdingOf } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment, SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type {
  Broadcast,
  PaymentCost,
  PaymentOutcome,
  PreparedPayment,
  SignedPayment,
  Variants
} from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { LEAST_BALANCE } from "./Fees.ts"
import { isExpired, landingOf } from "./Landing.ts"
import { paymentMessage } from "./PaymentMessage.ts"
import { leastPayment, readPaymentFacts } from "./PaymentFacts.ts"
import type { PaymentFacts } from "./PaymentFacts.ts"
import { decodeSigned, encodeSigned } from "./SignedBytes.ts"
import type { Lifetime } from "./SignedBytes.ts"
import { SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { SolverAccount } from "./SolverAccount.ts"
import type { SigningAccount } from "./SolverAccount.ts"
import { readSweepFacts, sweepMessage } from "./SweepMessage.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import { trial } from "./Trial.ts"

/** Only plain payments: there is no vault here, and nothing is submitted for others. */
const isPlain = (payment: Payment): boolean => {
  switch (payment._tag) {
    case "Refund":
    case "Excess":
    case "Payout":
      return true
    case "Fill":
      return holdingOf(payment) === "account" && payment.authorizations.length === 0
    case "Fallback":
    case "Sweep":
    case "Permit":
    case "Submission":
      return false
  }
}

const unfunded = [
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__INSTRUCTION_ERROR__INSUFFICIENT_FUNDS
] as const

/** What the System and the token program call having too little. */
const TOO_LITTLE = 1

const isUnfunded = (cause: unknown): boolean =>
  unfunded.some((code) => isSolanaError(cause, code)) ||
  (isSolanaError(cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM) && cause.context.code === TOO_LITTLE)

/**
 * What a node's trial of a payment means. Whatever else it would not carry out now it may carry out later, or it
 * expires and is decided anew: nothing of that is the endpoint's fault.
 */
const meaningOf = (cause: unknown): Broadcast => isUnfunded(cause) ? "unfunded" : "accepted"

const isThere = (error: unknown): boolean => isSolanaError(error, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)

const signatureOf = ({ transactionId }: SignedPayment): Signature => {
  if (!isSignature(transactionId)) throw new Error("a stored payment of a Solana chain has no signature")
  return transactionId
}

type Message = ReturnType<typeof paymentMessage> | ReturnType<typeof sweepMessage>

/** Tried as it would be sent, but unsigned. */
const isCarriedOut = async (client: SolanaClient, message: Message): Promise<boolean> =>
  (await trial(client, compileTransaction(message))).err === null

const signatureBy = Effect.fnUntraced(function*({ address, sign }: SigningAccount, bytes: Uint8Array) {
  return [address, signatureBytes(yield* sign(bytes))] as const
})

/** `by`: whose signatures the message needs; without all of them it is a defect, and nothing is given out. */
const signed = Effect.fnUntraced(function*(
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

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const { depositSigner, signer } = yield* SolverAccount
    const account = Result.getOrThrow(addressCodec("solana-vm").parse(signer.address))
    /** Who signs, for a message that is not signed yet. */
    const payer = createNoopSigner(signer.address)

    const inventory = (chain: Chain, currency: Currency) =>
      rpc.call(chain, "inventory", async (client) => {
        if (!currency.isNative) {
          const [tokens] = await readAccounts(client, [
            await tokenAccountOf(await mintOf(client, chain, currency), signer.address)
          ])
          return tokensIn(tokens)
        }
        const { value } = await client.getBalance(signer.address, { commitment: "confirmed" }).send()
        return value > LEAST_BALANCE ? value - LEAST_BALANCE : 0n
      })

    const costsOf = (
      { amount, chain, currency }: Payment,
      { fee, lamports, rent, token }: PaymentFacts
    ): ReadonlyArray<PaymentCost> => [
      {
        holder: account,
        currency: chain.native.address,
        amount: fee + rent + (token === undefined ? amount : 0n),
        balance: lamports
      },
      ...(token === undefined ? [] : [{ holder: account, currency: currency.address, amount, balance: token.held }])
    ]

    /** The key of the address that is to be swept; whoever sweeps has it. */
    const sweptBy = Effect.fnUntraced(function*({ sweep: { address: swept, key } }: SweepPayment) {
      if (depositSigner === undefined) {
        return yield* Effect.die(new Error("a process without the seed of deposit addresses was to sweep one"))
      }
      const found = key === undefined ? undefined : yield* depositSigner(key)
      return String(found?.address) === String(swept) && found !== undefined
        ? found
        : yield* Effect.die(
          new Error(`the key of the deposit address ${swept} does not follow from the seed that this process has`)
        )
    })

    const prepareSweep = Effect.fnUntraced(function*(payment: SweepPayment) {
      const { chain } = payment
      const swept = yield* sweptBy(payment)
      const found = yield* rpc.call(chain, "sweep preparation", async (client) => {
        const facts = await readSweepFacts(client, signer.address, payment)
        if (facts === undefined || facts.units === 0n) return { refused: "reverts" as const }
        const cost: PaymentCost = {
          holder: account,
          currency: chain.native.address,
          amount: facts.fee + facts.rent,
          balance: facts.lamports
        }
        if (cost.amount > cost.balance) return { refused: "insufficient-funds" as const }
        const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
        const message = sweepMessage(payer, createNoopSigner(swept.address), payment, facts, recent)
        const isFit = await isCarriedOut(client, message)
        return isFit
          ? {
            costs: [cost],
            message,
            lifetime: { lastValidBlockHeight: recent.lastValidBlockHeight, slot: context.slot }
          }
          : { refused: "reverts" as const }
      })
      if ("refused" in found) return yield* new PaymentRefused({ reason: found.refused })
      return {
        account,
        chainSequence: 0n,
        costs: found.costs,
        sign: () => signed(found.message, found.lifetime, [signer, swept])
      } satisfies PreparedPayment
    })

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      if (payment._tag === "Sweep") return yield* prepareSweep(payment)
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const { chain } = payment
      const found = yield* rpc.call(chain, "payment preparation", async (client) => {
        const facts = await readPaymentFacts(client, signer.address, payment)
        const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
        const costs = costsOf(payment, facts)
        const message = paymentMessage(payer, payment, facts, recent)
        const common = {
          costs,
          message,
          lifetime: { lastValidBlockHeight: recent.lastValidBlockHeight, slot: context.slot }
        }
        // First what fails for want of money: a trial says that in many words.
        if (costs.some((cost) => cost.amount > cost.balance)) {
          return { ...common, refused: "insufficient-funds" as const }
        }
        if (!facts.isKept || payment.amount < leastPayment(payment, facts.recipientLamports)) {
          return { ...common, refused: "reverts" as const }
        }
        return { ...common, refused: await isCarriedOut(client, message) ? undefined : "reverts" as const }
      })
      if (found.refused !== undefined) return yield* new PaymentRefused({ reason: found.refused })
      // Nothing on the chain counts the account's payments: the store does.
      return {
        account,
        chainSequence: 0n,
        costs: found.costs,
        sign: () => signed(found.message, found.lifetime, [signer])
      } satisfies PreparedPayment
    })

    const broadcast = (chain: Chain, signed: SignedPayment): Effect.Effect<Broadcast, ChainUnavailable> =>
      rpc.call(chain, "broadcast", async (client) => {
        try {
          // The node hands it on once: sending it again is ours, as long as it lives.
          await client.sendTransaction(decodeSigned(signed.raw).wire, {
            encoding: "base64",
            preflightCommitment: "confirmed",
            maxRetries: 0n
          }).send()
          return "accepted"
        } catch (error) {
          if (isThere(error)) return "accepted"
          if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) {
            throw error
          }
          return meaningOf(error.cause)
        }
      })

    const outcome = (chain: Chain, variants: Variants) =>
      rpc.call(chain, "payment outcome", async (client): Promise<PaymentOutcome> => {
        const signed = variants.map((variant) => ({
          ...decodeSigned(variant.raw),
          transactionId: variant.transactionId,
          signature: signatureOf(variant)
        }))
        const landings = await Promise.all(
          signed.map(async ({ signature, transactionId }) => ({
            transactionId,
            landing: await landingOf(client, signature)
          }))
        )
        for (const { landing, transactionId } of landings) {
          if (landing === undefined || landing === "processed") continue
          const { block, fee, final, rent, succeeded } = landing
          return { _tag: "Included", transactionId, block, succeeded, gasPaid: fee, rentPaid: rent, final }
        }
        if (landings.some(({ landing }) => landing === "processed")) return { _tag: "Pending" }
        return { _tag: await isExpired(client, chain, signed) ? "Expired" : "Unseen" }
      })

    return Treasury.of({ inventory, prepare, broadcast, outcome, replacing: () => undefined })
  })
)
