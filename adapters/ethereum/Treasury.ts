/**
 * The solver's payments on EVM chains, made from its own account with EIP-1559 transactions.
 *
 * What makes a payment unique is the account's nonce: the stored bytes may be broadcast any number of times, and a
 * second transaction with that nonce can never be mined.
 */
import { Effect, Layer, Result } from "effect"
import { BaseError, erc20Abi, ExecutionRevertedError, InsufficientFundsError, keccak256 } from "viem"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { PaymentRefused, Treasury } from "../../ports/Treasury.ts"
import type { Payment, PaymentOutcome, PreparedPayment, SignedPayment } from "../../ports/Treasury.ts"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { readFees, withMargin } from "./Fees.ts"
import { readHeads } from "./Finality.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import { isKnown, receiptOf } from "./Receipt.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { viemHex } from "./ViemHex.ts"

/** What a node says when it refuses a transaction that it, or the chain, has already: all of it means "nothing to do". */
const alreadyThere = /already known|nonce too low|already imported|replacement transaction underpriced|already in mempool|known transaction/i

const refusalOf = (error: unknown): PaymentRefused["reason"] | undefined => {
  if (!(error instanceof BaseError)) return undefined
  if (error.walk((cause) => cause instanceof InsufficientFundsError) !== null) return "insufficient-funds"
  if (error.walk((cause) => cause instanceof ExecutionRevertedError) !== null) return "reverts"
  return undefined
}

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const { account } = yield* SolverAccount
    const address = Result.getOrThrow(addressCodec("ethereum-vm").parse(account.address))

    const inventory = (chain: Chain, currency: Currency) =>
      rpc.call(chain, "inventory", (client) =>
        currency.isNative
          ? client.getBalance({ address: account.address })
          : client.readContract({
            abi: erc20Abi,
            address: viemHex(currency.address),
            functionName: "balanceOf",
            args: [account.address]
          }))

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const body = paymentBody(payment)
      const facts = yield* rpc.call(payment.chain, "payment preparation", async (client) => {
        const [fees, chainSequence, gas] = await Promise.all([
          readFees(client),
          client.getTransactionCount({ address: account.address, blockTag: "latest" }),
          client.estimateGas({ account: account.address, ...body }).catch((error: unknown) => {
            const reason = refusalOf(error)
            if (reason === undefined) throw error
            return new PaymentRefused({ reason })
          })
        ])
        return { fees, chainSequence, gas }
      })
      const { chainSequence, fees, gas } = facts
      if (typeof gas !== "bigint") return yield* gas
      const sign = Effect.fnUntraced(function*(sequence: bigint) {
        const raw = yield* Effect.promise(() =>
          account.signTransaction({
            type: "eip1559",
            chainId: payment.chain.id,
            nonce: Number(sequence),
            gas: withMargin(gas),
            maxFeePerGas: fees.maxFeePerGas,
            maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
            ...body
          })
        )
        const transactionId = Result.getOrThrow(parseTransactionId("ethereum-vm", keccak256(raw)))
        return { transactionId, raw } satisfies SignedPayment
      })
      return { account: address, chainSequence: BigInt(chainSequence), sign } satisfies PreparedPayment
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

    const outcome = Effect.fnUntraced(function*(chain: Chain, signed: SignedPayment) {
      const hash = viemHex(signed.transactionId)
      const read = yield* rpc.call(chain, "payment outcome", async (client) => {
        const receipt = await receiptOf(client, hash)
        if (receipt === undefined) return { _tag: await isKnown(client, hash) ? "Pending" : "Unseen" } as const
        const block = await client.getBlock({ blockNumber: receipt.blockNumber })
        return block.hash === receipt.blockHash
          ? { _tag: "Included", receipt, time: Number(block.timestamp) } as const
          : { _tag: "Pending" } as const
      })
      if (read._tag !== "Included") return read
      const { finalHeight } = yield* readHeads(rpc, chain)
      const { receipt, time } = read
      return {
        _tag: "Included",
        block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
        succeeded: receipt.status === "success",
        gasPaid: receipt.gasUsed * receipt.effectiveGasPrice,
        final: receipt.blockNumber <= finalHeight
      } satisfies PaymentOutcome
    })

    return Treasury.of({ inventory, prepare, broadcast, outcome })
  })
)
