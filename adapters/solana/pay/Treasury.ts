/**
 * The solver's payments on Solana. They are transactions of its own account that name a recent block, and expire with
 * it. Sweeps of deposit addresses are also signed by the address's key.
 *
 * There is no nonce. A second payment is impossible because the first is proven dead before another is signed
 * (`isExpired`): its bytes may be broadcast any number of times while its blockhash is recent, one signature is
 * executed at most once, and nothing replaces it while it can be executed. SECURITY: a node never sees a signature
 * before it is stored, so simulations are unsigned.
 */
import { createNoopSigner, isSignature } from "@solana/kit"
import type { Address, Signature } from "@solana/kit"
import { Effect, Layer, Result } from "effect"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type {
  PaymentCost,
  PaymentOutcome,
  PreparedPayment,
  SignedPayment,
  Variants
} from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { paymentRead } from "../../endpoints/PaymentRead.ts"
import { leastBalance } from "../rpc/Rent.ts"
import { SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import { broadcast } from "./Broadcasting.ts"
import { isExpired, landingOf } from "./Landing.ts"
import { leastPayment, readPaymentFacts } from "./PaymentFacts.ts"
import type { PaymentFacts } from "./PaymentFacts.ts"
import { paymentMessage } from "./PaymentMessage.ts"
import { JupiterServer } from "../quote/jupiter/JupiterApi.ts"
import { isSwappedFill } from "./RoutePayment.ts"
import type { SwappedFill } from "./RoutePayment.ts"
import { routed } from "./RoutedPayment.ts"
import { decodeSigned } from "./SignedBytes.ts"
import { isCarriedOut, recentBlock, signed, witnessLifetime } from "./Signing.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { prepareSweep } from "./SweepPreparation.ts"

const signatureOf = ({ transactionId }: SignedPayment): Signature => {
  if (!isSignature(transactionId)) throw new Error("a stored payment of a Solana chain has no signature")
  return transactionId
}

/** Lamports beyond what an account must keep. */
const spendable = async (client: SolanaClient, owner: Address): Promise<bigint> => {
  const [{ value }, least] = await Promise.all([
    client.getBalance(owner, { commitment: "confirmed" }).send(),
    leastBalance(client)
  ])
  return value > least ? value - least : 0n
}

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const solver = yield* SolverAccount
    const server = yield* JupiterServer
    const { signer } = solver
    const account = Result.getOrThrow(addressCodec("solana-vm").parse(signer.address))
    /** The signer in a message that is not signed yet. */
    const payer = createNoopSigner(signer.address)

    const inventory = (chain: Chain, currency: Currency) =>
      rpc.call(chain, "inventory", async (client) => {
        if (!currency.isNative) {
          const [tokens] = await readAccounts(client, [
            await tokenAccountOf(await mintOf(client, chain, currency), signer.address)
          ])
          return [tokensIn(tokens)]
        }
        return [await spendable(client, signer.address)]
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

    const prepareSwap = Effect.fnUntraced(function*(payment: SwappedFill) {
      const { chain } = payment
      const found = yield* routed(rpc, server, account, payment)
      yield* witnessLifetime(rpc, chain, found.recent.blockhash, found.lifetime)
      return {
        account,
        chainSequence: 0n,
        costs: found.costs,
        rent: found.given,
        sign: () => signed(found.message, found.lifetime, [signer])
      } satisfies PreparedPayment
    })

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      if (payment._tag === "Sweep") return yield* prepareSweep(rpc, solver, account, payment)
      if (isSwappedFill(payment)) return yield* prepareSwap(payment)
      // Solana has no vault and no submissions for others.
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const { chain } = payment
      const found = yield* rpc.call(chain, "payment preparation", async (client) => {
        const facts = await readPaymentFacts(client, signer.address, payment)
        const { lifetime, recent } = await recentBlock(client)
        const costs = costsOf(payment, facts)
        const message = paymentMessage(payer, payment, facts, recent)
        const common = { costs, message, lifetime, recent, rent: facts.rent }
        // Checks the balance first: a simulation reports missing money in many different ways.
        if (costs.some((cost) => cost.amount > cost.balance)) {
          return { ...common, refused: "insufficient-funds" as const }
        }
        if (!facts.isKept || payment.amount < leastPayment(payment, facts)) {
          return { ...common, refused: "reverts" as const }
        }
        return { ...common, refused: await isCarriedOut(client, message) ? undefined : "reverts" as const }
      })
      if (found.refused !== undefined) return yield* new PaymentRefused({ reason: found.refused })
      yield* witnessLifetime(rpc, chain, found.recent.blockhash, found.lifetime)
      // Nothing on the chain counts the account's payments. The store does.
      return {
        account,
        chainSequence: 0n,
        costs: found.costs,
        rent: found.rent,
        sign: () => signed(found.message, found.lifetime, [signer])
      } satisfies PreparedPayment
    })

    const outcomeOf = (chain: Chain, variants: Variants) => async (client: SolanaClient): Promise<PaymentOutcome> => {
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
    }

    return Treasury.of({
      inventory,
      prepare,
      broadcast: (chain, signed) => broadcast(rpc, chain, signed),
      outcome: (chain, variants, by) => rpc.witnessed(chain, paymentRead(outcomeOf(chain, variants)), by),
      replacing: () => undefined
    })
  })
)
