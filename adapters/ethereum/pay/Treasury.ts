/**
 * The solver's payments on EVM chains: EIP-1559 transactions of its own account, which pays plainly or operates its
 * vault (EIP-7702 ones where a fill carries authorizations); and sweeps of deposit addresses and permits, of an account
 * of their own.
 *
 * What makes a payment unique is the account's nonce: the stored bytes may be broadcast any number of times, and a
 * second transaction with that nonce can never be mined. A replacement is made from the stored bytes of what it
 * replaces, so that nothing of it but its fees can differ.
 */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { Effect, Layer, Result } from "effect"
import { BaseError, keccak256, parseTransaction, recoverTransactionAddress } from "viem"
import type {
  Address as ViemAddress,
  Hex,
  TransactionSerializableEIP1559,
  TransactionSerializableEIP7702,
  TransactionSerializedEIP1559
} from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import { holdingOf } from "../../../ports/chain/PaymentKinds.ts"
import type { Holding, Payment } from "../../../ports/chain/PaymentKinds.ts"
import type {
  Broadcast,
  PaymentCost,
  PaymentOutcome,
  PreparedPayment,
  PreparedReplacement,
  Replacing,
  SignedPayment,
  Variants
} from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { FeeBid, FeeMarket } from "../../../src/domain/transfer/payment/ReplacePayment.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { balanceOf, estimatePayment } from "./EstimatePayment.ts"
import { readHeads } from "../observe/Finality.ts"
import { gasWithin } from "./GasWithin.ts"
import { movedBy, paymentBody } from "./PaymentTransaction.ts"
import { isKnown, standingReceipt } from "../observe/Receipt.ts"
import { isSuperseded } from "./Superseded.ts"
import { SolverAccount } from "./SolverAccount.ts"
import type { SendingAccount } from "./SolverAccount.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** What a node says of a transaction that it has already, or that is mined: nothing is left to do. */
const alreadyThere = /already known|nonce too low|already imported|already in mempool|known transaction/i

/** By itself (below the base fee, or the node's own minimum), or to take the place of what the node has. */
const underpriced = /underpriced|fee too low|fee cap too low|less than block base fee|gas price below|tip too low/i

const unfunded = /insufficient funds|insufficient balance/i

/**
 * Nodes keep one transaction for an account that has signed an authorization, and judge some of them before they take
 * any.
 */
const unauthorized = /authorit(?:y|ies) .*reserved|authori[sz]ation|transaction type not supported/i

const carriesAuthorizations = (raw: Hex): boolean => raw.startsWith("0x04")

/** What a refusal of a node means; undefined for one that says nothing of the payment. */
const meaningOf = (refusal: string, raw: Hex): Broadcast | undefined => {
  if (alreadyThere.test(refusal)) return "accepted"
  if (carriesAuthorizations(raw) && unauthorized.test(refusal)) return "unauthorized"
  if (underpriced.test(refusal)) return "underpriced"
  return unfunded.test(refusal) ? "unfunded" : undefined
}

const isEip1559 = (raw: Hex): raw is TransactionSerializedEIP1559 => raw.startsWith("0x02")

type Unsigned = Omit<TransactionSerializableEIP1559, "type"> & {
  readonly authorizationList?: TransactionSerializableEIP7702["authorizationList"]
}

/** With authorizations a transaction is of type 4 (EIP-7702), else of type 2. */
const typed = (
  { authorizationList, ...transaction }: Unsigned
): TransactionSerializableEIP1559 | TransactionSerializableEIP7702 =>
  authorizationList === undefined
    ? { ...transaction, type: "eip1559" }
    : { ...transaction, type: "eip7702", authorizationList }

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const { account, operator } = yield* SolverAccount
    const address = Result.getOrThrow(addressCodec("ethereum-vm").parse(account.address))

    /** Who sends a payment: sweeps and permits are the operator's, everything else the solver's. */
    const payerOf = ({ _tag }: Payment): Effect.Effect<SendingAccount> => {
      if (_tag !== "Sweep" && _tag !== "Permit") return Effect.succeed(account)
      return operator === undefined
        ? Effect.die(new Error("a process without the key of deposit addresses was to sweep one or to submit a permit"))
        : Effect.succeed(operator)
    }

    /**
     * Whose a signed payment is, by its signature: the stored bytes say it for ever, also of a key that is here no
     * longer.
     */
    const signerOf = async ({ raw }: SignedPayment): Promise<ViemAddress> => {
      const serializedTransaction = viemHex(raw)
      return operator === undefined || !isEip1559(serializedTransaction)
        ? account.address
        : recoverTransactionAddress({ serializedTransaction })
    }

    /** The holding's address on a chain; the vault's is only asked for where orders with calls are made. */
    const holderOf = (chain: Chain, holding: Holding): Address => holding === "vault" ? chain.vault ?? address : address

    const inventory = (chain: Chain, currency: Currency, holding: Holding) =>
      rpc.call(chain, "inventory", (client) => balanceOf(client, viemHex(holderOf(chain, holding)), currency))

    const signedBy = (
      payer: SendingAccount,
      transaction: TransactionSerializableEIP1559 | TransactionSerializableEIP7702
    ): Effect.Effect<SignedPayment, SignerUnavailable> =>
      Effect.map(payer.signTransaction(transaction), (raw) => ({
        transactionId: Result.getOrThrow(parseTransactionId(families["ethereum-vm"], keccak256(raw))),
        raw
      }))

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const body = paymentBody(payment)
      if (body === undefined) return yield* new PaymentRefused({ reason: "reverts" })
      const { amount, chain } = payment
      const payer = yield* payerOf(payment)
      const from = Result.getOrThrow(addressCodec("ethereum-vm").parse(payer.address))
      const holder = holderOf(chain, holdingOf(payment))
      const facts = yield* rpc.call(chain, "payment preparation", async (client) => {
        const [chainSequence, estimate, native, moved] = await Promise.all([
          client.getTransactionCount({ address: payer.address, blockTag: "latest" }),
          estimatePayment(client, payer.address, body, payment),
          client.getBalance({ address: payer.address }),
          Promise.all(
            movedBy(payment).map(async (each) => ({
              ...each,
              balance: await balanceOf(client, viemHex(holder), each.currency)
            }))
          )
        ])
        return { ...estimate, chainSequence, native, moved }
      })
      const { chainSequence, fees, gas, moved, native } = facts
      // First what the chain would refuse for want of money: an estimate fails for that in many words.
      if (moved.some((each) => each.balance < each.amount)) {
        return yield* new PaymentRefused({ reason: "insufficient-funds" })
      }
      if (typeof gas !== "bigint") return yield* gas
      const costs: ReadonlyArray<PaymentCost> = [
        { holder: from, currency: chain.native.address, amount: body.value + gas * fees.maxFeePerGas, balance: native },
        // A native amount is the body's value; a sweep has none of its own.
        ...(body.value > 0n || amount === 0n
          ? []
          : moved.map(({ currency, ...rest }) => ({ holder, currency: currency.address, ...rest })))
      ]
      if (costs.some(({ amount, balance }) => amount > balance)) {
        return yield* new PaymentRefused({ reason: "insufficient-funds" })
      }
      const sign = (sequence: bigint) =>
        signedBy(
          payer,
          typed({
            chainId: payment.chain.id,
            nonce: Number(sequence),
            gas,
            maxFeePerGas: fees.maxFeePerGas,
            maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
            ...body
          })
        )
      return {
        account: from,
        chainSequence: BigInt(chainSequence),
        costs,
        mostGas: gas * fees.maxFeePerGas,
        sign
      } satisfies PreparedPayment
    })

    const broadcast = (chain: Chain, signed: SignedPayment): Effect.Effect<Broadcast, ChainUnavailable> =>
      rpc.call(chain, "broadcast", async (client) => {
        try {
          await client.sendRawTransaction({ serializedTransaction: viemHex(signed.raw) })
          return "accepted"
        } catch (error) {
          const meaning = error instanceof BaseError
            ? meaningOf(`${error.shortMessage} ${error.details}`, viemHex(signed.raw))
            : undefined
          if (meaning === undefined) throw error
          return meaning
        }
      })

    const outcome = (chain: Chain, variants: Variants) =>
      rpc.call(chain, "payment outcome", async (client): Promise<PaymentOutcome> => {
        const [{ finalHeight }, ...receipts] = await Promise.all([
          readHeads(client, chain),
          ...variants.map(async (variant) => ({
            variant,
            found: await standingReceipt(client, viemHex(variant.transactionId))
          }))
        ])
        // At most one: they have one nonce.
        const mined = receipts.find(({ found }) => found !== undefined)
        if (mined?.found === undefined) {
          const newest = variants[variants.length - 1] ?? variants[0]
          if (await isKnown(client, viemHex(newest.transactionId))) return { _tag: "Pending" }
          return {
            _tag: await isSuperseded(client, await signerOf(variants[0]), variants, finalHeight)
              ? "Superseded"
              : "Unseen"
          }
        }
        const { found: { receipt, time }, variant } = mined
        return {
          _tag: "Included",
          transactionId: variant.transactionId,
          block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
          succeeded: receipt.status === "success",
          gasPaid: receipt.gasUsed * receipt.effectiveGasPrice,
          final: receipt.blockNumber <= finalHeight
        }
      })

    const feeMarket = (chain: Chain, signed: SignedPayment): Effect.Effect<FeeMarket, ChainUnavailable> =>
      rpc.call(chain, "fees", async (client) => {
        const payer = await signerOf(signed)
        const [block, tipPerGas, next] = await Promise.all([
          client.getBlock(),
          client.estimateMaxPriorityFeePerGas(),
          client.getTransactionCount({ address: payer, blockTag: "latest" })
        ])
        return {
          baseFeePerGas: block.baseFeePerGas ?? 0n,
          tipPerGas,
          headTime: Number(block.timestamp) * 1000,
          nextSequence: BigInt(next)
        }
      })

    const bidOf = ({ raw }: SignedPayment): FeeBid => {
      const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(viemHex(raw))
      return { maxFeePerGas, tipPerGas: maxPriorityFeePerGas }
    }

    /** The bytes that were signed, at other fees; `gasOf` says how much of their gas they keep. */
    const remake = Effect.fn("Treasury.remake")(
      function*(
        chain: Chain,
        signed: SignedPayment,
        { maxFeePerGas, tipPerGas }: FeeBid,
        gasOf: (signed: bigint) => bigint,
        leftOut?: "authorizations"
      ) {
        const {
          authorizationList,
          chainId = chain.id,
          data = "0x",
          gas: signedGas = 0n,
          nonce = 0,
          to = null,
          value = 0n
        } = parseTransaction(viemHex(signed.raw))
        const gas = gasOf(signedGas)
        const signer = yield* Effect.promise(() => signerOf(signed))
        const payer = [account, operator].find((each) => each?.address === signer)
        if (payer === undefined) {
          return yield* Effect.die(new Error(`a payment of ${signer} cannot be signed anew: its key is not here`))
        }
        const balance = yield* rpc.call(chain, "balance", (client) => client.getBalance({ address: payer.address }))
        const mostGas = gas * maxFeePerGas
        const raised = mostGas - signedGas * bidOf(signed).maxFeePerGas
        return {
          extra: {
            holder: Result.getOrThrow(addressCodec("ethereum-vm").parse(payer.address)),
            currency: chain.native.address,
            amount: raised > 0n ? raised : 0n,
            balance
          },
          mostGas,
          sign: signedBy(
            payer,
            typed({
              chainId,
              nonce,
              gas,
              to,
              value,
              data,
              maxFeePerGas,
              maxPriorityFeePerGas: tipPerGas,
              ...(authorizationList === undefined || leftOut === "authorizations" ? {} : { authorizationList })
            })
          )
        } satisfies PreparedReplacement
      }
    )

    const reprice = (chain: Chain, signed: SignedPayment, bid: FeeBid, leftOut?: "authorizations") =>
      remake(chain, signed, bid, (gas) => gas, leftOut)

    const repriceWithin: Replacing["repriceWithin"] = (chain, signed, bid) => {
      const transaction = parseTransaction(viemHex(signed.raw))
      const gas = gasWithin(transaction, bid.maxFeePerGas)
      return gas === undefined ? Effect.succeed(undefined) : remake(chain, signed, bid, () => gas)
    }

    const replacing = { feeMarket, bidOf, reprice, repriceWithin }
    return Treasury.of({ inventory, prepare, broadcast, outcome, replacing: () => replacing })
  })
)
