/** Withdrawals on an EVM chain: calls of the depository, which the allocator signs and anyone executes. */
import { Effect, Result } from "effect"
import type { Hex } from "viem"
import { concat, encodeFunctionData, keccak256, zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { getAddress } from "viem/utils"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { viemHex } from "../../../../adapters/ethereum/rpc/ViemHex.ts"
import { Hex as CanonicalHex, hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { addressCodec } from "../../../../src/domain/families/index.ts"
import type { CallRequest } from "../../../../src/domain/families/ethereum/CallRequest.ts"
import { encodeTransfer } from "../../../../src/domain/families/ethereum/CallRequest.ts"
import { encodeWithdrawal, withdrawalId } from "../../../../src/domain/families/Withdrawals.ts"
import { domainSeparator } from "../../../../src/domain/hub/Execution.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { balance, call, headTime, mined } from "../demo/Wallet.ts"
import type { Account, DraftWithdrawal, EvmTarget, Wanted } from "./WithdrawalChain.ts"

/** How long an issued withdrawal may be executed, in seconds of its chain's clock. */
const OPEN_SECONDS = 600n
const SHORTLY = 2n

const { parse } = addressCodec("ethereum-vm")

const requestOf = ({ currency: { address } }: EvmTarget, { amount, nonce, recipient }: Wanted, expiration: bigint) =>
  Result.gen(function*() {
    const to = yield* parse(recipient)
    const paid = address === zeroAddress
      ? { to, data: CanonicalHex.make("0x"), value: amount }
      : { to: yield* parse(address), data: yield* encodeTransfer(to, amount), value: 0n }
    return { calls: [{ ...paid, allowFailure: false }], nonce, expiration } satisfies CallRequest
  })

/** The request, and what the allocator signs for the depository. Fails for values that do not fit. */
const prepare = (target: EvmTarget, wanted: Wanted, expiration: bigint) =>
  Result.gen(function*() {
    const request = yield* requestOf(target, wanted, expiration)
    const withdrawal = { family: "ethereum-vm", request } as const
    const id = yield* withdrawalId(withdrawal)
    const separator = yield* domainSeparator({
      name: "RelayDepository",
      version: "1",
      chainId: BigInt(target.chainId),
      verifyingContract: yield* parse(target.depository)
    })
    return {
      id,
      request,
      encoded: yield* encodeWithdrawal(withdrawal),
      digest: keccak256(concat(["0x1901", hexFromBytes(separator), id]))
    }
  })

/** What arrived in the block of the payment. */
const execute = Effect.fnUntraced(
  function*(target: EvmTarget, submitter: Account, recipient: string, request: CallRequest, signature: Hex) {
    const calls = request.calls.map((each) => ({ ...each, to: viemHex(each.to) }))
    const data = encodeFunctionData({
      abi: depositoryAbi,
      functionName: "execute",
      args: [{ ...request, calls }, signature]
    })
    const transaction = yield* call(target, submitter.privateKey, target.depository, data)
    const { block, succeeded } = yield* mined(target, transaction)
    if (!succeeded) {
      return yield* new LocalnetError({
        message: `the depository of ${target.id} refused the withdrawal: ${transaction}`
      })
    }
    const payee = getAddress(recipient)
    const [before, after] = yield* Effect.all([
      balance(target, target.currency.address, payee, block - 1n),
      balance(target, target.currency.address, payee, block)
    ])
    return { transaction, arrived: after - before }
  }
)

/** The submitter pays the gas, so the recipient gets the whole amount. */
export const draftOn = (target: EvmTarget, allocator: Account, submitter: Account): DraftWithdrawal =>
  Effect.fnUntraced(function*(wanted) {
    const expiration = (yield* headTime(target)) + (wanted.end === "executed" ? OPEN_SECONDS : SHORTLY)
    const { digest, encoded, id, request } = yield* Effect.fromResult(prepare(target, wanted, expiration)).pipe(
      Effect.mapError(({ message }) => new LocalnetError({ message: `this withdrawal cannot be issued: ${message}` }))
    )
    const signature = yield* Effect.promise(() => privateKeyToAccount(allocator.privateKey).sign({ hash: digest }))
    return {
      id,
      encoded,
      pays: wanted.amount,
      execute: execute(target, submitter, wanted.recipient, request, signature)
    }
  })
