/**
 * The solver's payments on EVM chains, made from its own account with EIP-1559 transactions.
 *
 * What makes a payment unique is the account's nonce: the stored bytes may be broadcast any number of times, and a
 * second transaction with that nonce can never be mined.
 */
import { Effect, Layer, Result } from "effect"
import { BaseError, erc20Abi, ExecutionRevertedError, InsufficientFundsError, keccak256, parseTransaction } from "viem"
import type { Hex, PublicClient } from "viem"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { PaymentRefused, Treasury } from "../../ports/Treasury.ts"
import type { Payment, PaymentOutcome, PreparedPayment, SignedPayment } from "../../ports/Treasury.ts"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { PLAIN_PAYMENT_GAS, readFees, withMargin } from "./Fees.ts"
import { readHeads } from "./Finality.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import type { TransactionBody } from "./PaymentTransaction.ts"
import { isKnown, standingReceipt } from "./Receipt.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { viemHex } from "./ViemHex.ts"

/** What a node says of a transaction that it has already, or that is mined: nothing is left to do. */
const alreadyThere = /already known|nonce too low|already imported|already in mempool|known transaction/i

/** "None" of a refusal by the chain itself: what else went wrong is the endpoint's. */
const refusalOf = (error: unknown): PaymentRefused["reason"] | undefined => {
  if (!(error instanceof BaseError)) return undefined
  if (error.walk((cause) => cause instanceof InsufficientFundsError) !== null) return "insufficient-funds"
  if (error.walk((cause) => cause instanceof ExecutionRevertedError) !== null) return "reverts"
  return undefined
}

/** Gas of a payment, or why the chain would not carry it out; recipients that want more than a plain payment's are refused. */
export const estimatePayment = async (
  client: PublicClient,
  account: Hex,
  body: TransactionBody
): Promise<bigint | PaymentRefused> => {
  try {
    const gas = withMargin(await client.estimateGas({ account, ...body }))
    return gas > PLAIN_PAYMENT_GAS ? new PaymentRefused({ reason: "reverts" }) : gas
  } catch (error) {
    const reason = refusalOf(error)
    if (reason === undefined) throw error
    return new PaymentRefused({ reason })
  }
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
      const { chainSequence, fees, gas, nativeBalance } = yield* rpc.call(payment.chain, "payment preparation", async (client) => {
        const [fees, chainSequence, gas, nativeBalance] = await Promise.all([
          readFees(client),
          client.getTransactionCount({ address: account.address, blockTag: "latest" }),
          estimatePayment(client, account.address, body),
          client.getBalance({ address: account.address })
        ])
        return { fees, chainSequence, gas, nativeBalance }
      })
      if (typeof gas !== "bigint") return yield* gas
      const nativeCost = body.value + gas * fees.maxFeePerGas
      if (nativeCost > nativeBalance) return yield* new PaymentRefused({ reason: "insufficient-funds" })
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
      return { account: address, chainSequence: BigInt(chainSequence), nativeCost, nativeBalance, sign } satisfies PreparedPayment
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
