/**
 * The solver's payments on EVM chains: EIP-1559 transactions of its own account, which pays plainly or operates its vault.
 *
 * What makes a payment unique is the account's nonce: the stored bytes may be broadcast any number of times, and a
 * second transaction with that nonce can never be mined.
 */
import { Effect, Layer, Result } from "effect"
import { BaseError, keccak256, parseTransaction } from "viem"
import type { PublicClient } from "viem"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { PaymentRefused, Treasury } from "../../ports/Treasury.ts"
import type { Holding, Payment, PaymentCost, PaymentOutcome, PreparedPayment, SignedPayment } from "../../ports/Treasury.ts"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { balanceOf, estimatePayment } from "./EstimatePayment.ts"
import { readHeads } from "./Finality.ts"
import { holdingOf, paymentBody } from "./PaymentTransaction.ts"
import { isKnown, standingReceipt } from "./Receipt.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { viemHex } from "./ViemHex.ts"

/** What a node says of a transaction that it has already, or that is mined: nothing is left to do. */
const alreadyThere = /already known|nonce too low|already imported|already in mempool|known transaction/i

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const { account } = yield* SolverAccount
    const address = Result.getOrThrow(addressCodec("ethereum-vm").parse(account.address))

    /** The holding's address on a chain; the vault's is only asked for where orders with calls are made. */
    const holderOf = (chain: Chain, holding: Holding): Address => holding === "vault" ? chain.vault ?? address : address

    const inventory = (chain: Chain, currency: Currency, holding: Holding) =>
      rpc.call(chain, "inventory", (client) => balanceOf(client, viemHex(holderOf(chain, holding)), currency))

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const body = paymentBody(payment)
      if (body === undefined) return yield* new PaymentRefused({ reason: "reverts" })
      const { amount, chain, currency } = payment
      const holder = holderOf(chain, holdingOf(payment))
      const facts = yield* rpc.call(chain, "payment preparation", async (client) => {
        const [chainSequence, estimate, native, held] = await Promise.all([
          client.getTransactionCount({ address: account.address, blockTag: "latest" }),
          estimatePayment(client, account.address, body, payment),
          client.getBalance({ address: account.address }),
          balanceOf(client, viemHex(holder), currency)
        ])
        return { ...estimate, chainSequence, native, held }
      })
      const { chainSequence, fees, gas, held, native } = facts
      // First what the chain would refuse for want of money: an estimate fails for that in many words.
      if (held < amount) return yield* new PaymentRefused({ reason: "insufficient-funds" })
      if (typeof gas !== "bigint") return yield* gas
      const costs: ReadonlyArray<PaymentCost> = [
        { holder: address, currency: chain.native.address, amount: body.value + gas * fees.maxFeePerGas, balance: native },
        ...(body.value > 0n ? [] : [{ holder, currency: currency.address, amount, balance: held }])
      ]
      if (costs.some(({ amount, balance }) => amount > balance)) return yield* new PaymentRefused({ reason: "insufficient-funds" })
      const sign = Effect.fnUntraced(function*(sequence: bigint) {
        const raw = yield* Effect.promise(() =>
          account.signTransaction({
            type: "eip1559",
            chainId: payment.chain.id,
            nonce: Number(sequence),
            gas,
            maxFeePerGas: fees.maxFeePerGas,
            maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
            ...body
          })
        )
        const transactionId = Result.getOrThrow(parseTransactionId("ethereum-vm", keccak256(raw)))
        return { transactionId, raw } satisfies SignedPayment
      })
      return { account: address, chainSequence: BigInt(chainSequence), costs, sign } satisfies PreparedPayment
    })

    const broadcast = (chain: Chain, signed: SignedPayment): Effect.Effect<void, ChainUnavailable> =>
      rpc.call(chain, "broadcast", async (client) => {
        try {
          await client.sendRawTransaction({ serializedTransaction: viemHex(signed.raw) })
        } catch (error) {
          const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : ""
          if (!alreadyThere.test(text)) throw error
        }
      })

    /** True when a final block has a transaction of the account with this one's nonce: it will never be this one. */
    const isSuperseded = async (client: PublicClient, chain: Chain, signed: SignedPayment): Promise<boolean> => {
      const { nonce = 0 } = parseTransaction(viemHex(signed.raw))
      const { finalHeight } = await readHeads(client, chain)
      if (finalHeight < 0n) return false
      const used = await client.getTransactionCount({ address: account.address, blockNumber: finalHeight })
      return used > nonce
    }

    const outcome = (chain: Chain, signed: SignedPayment) =>
      rpc.call(chain, "payment outcome", async (client): Promise<PaymentOutcome> => {
        const hash = viemHex(signed.transactionId)
        const [found, { finalHeight }] = await Promise.all([standingReceipt(client, hash), readHeads(client, chain)])
        if (found === undefined) {
          if (await isKnown(client, hash)) return { _tag: "Pending" }
          return { _tag: await isSuperseded(client, chain, signed) ? "Superseded" : "Unseen" }
        }
        const { receipt, time } = found
        return {
          _tag: "Included",
          block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
          succeeded: receipt.status === "success",
          gasPaid: receipt.gasUsed * receipt.effectiveGasPrice,
          final: receipt.blockNumber <= finalHeight
        }
      })

    return Treasury.of({ inventory, prepare, broadcast, outcome })
  })
)
