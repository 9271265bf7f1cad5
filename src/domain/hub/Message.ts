/**
 * The ids of the protocol's messages: EIP-712 `hashStruct` without a domain (EXEC-2, EXEC-1).
 *
 * An oracle signs them by EIP-191 over the 32 raw bytes. Transaction ids, addresses and currencies
 * enter as the bytes of their chain's family.
 */
import * as Result from "effect/Result"
import type { InvalidAbi } from "../encoding/Abi.ts"
import type { InvalidAddress } from "../chain/Address.ts"
import { type Hex, type Hex32, hex32FromDigest, hexToBytes } from "../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word } from "../encoding/StructHash.ts"
import { type InvalidTransactionId, transactionIdToBytes } from "../chain/TransactionId.ts"
import { type HashMemo, makeHashMemo } from "../order/HashMemo.ts"
import { type ChainRef, codecOf } from "./ChainRef.ts"
import { uint256 } from "./Packed.ts"

/** The attested facts of a deposit. */
export interface DepositMessage {
  readonly transactionId: string
  readonly onchainId: Hex32
  readonly depository: string
  readonly depositId: Hex32
  readonly depositor: string
  readonly currency: string
  readonly amount: bigint
}

/** 0 pending, 1 executed, 2 expired. */
export type WithdrawalStatus = 0 | 1 | 2

/** The attested facts of a withdrawal. */
export interface WithdrawalMessage {
  readonly withdrawal: Hex
  readonly withdrawalId: Hex32
  readonly depository: string
  readonly status: WithdrawalStatus
}

const depositDataType = "Data(string chainId,bytes transactionId)"
const depositResultType =
  "Result(bytes32 onchainId,bytes depository,bytes32 depositId,bytes depositor,bytes currency,uint256 amount)"
const withdrawalDataType = "Data(string chainId,bytes withdrawal)"
const withdrawalResultType = "Result(bytes32 withdrawalId,bytes depository,uint8 status)"

const depositDataTypeHash = keccakText(depositDataType)
const depositResultTypeHash = keccakText(depositResultType)
const depositTypeHash = keccakText(`DepositoryDeposit(Data data,Result result)${depositDataType}${depositResultType}`)
const withdrawalDataTypeHash = keccakText(withdrawalDataType)
const withdrawalResultTypeHash = keccakText(withdrawalResultType)
const withdrawalTypeHash = keccakText(
  `DepositoryWithdrawal(Data data,Result result)${withdrawalDataType}${withdrawalResultType}`
)

/** Of chains, their depositories and currencies: few, in nearly every message. */
const texts = makeHashMemo()
const depositories = makeHashMemo()
const currencies = makeHashMemo()

/** The hash of bytes that the codec reads from a text, remembered by family, network and text. */
const hashOfText = (
  memo: HashMemo,
  chain: ChainRef,
  text: string,
  read: (text: string) => Result.Result<Uint8Array, InvalidAddress>
): Result.Result<Uint8Array, InvalidAddress> => {
  const key = `${chain.family.name} ${chain.network} ${text}`
  const known = memo.get(key, () => undefined)
  if (known !== undefined) return Result.succeed(known)
  return Result.map(read(text), (bytes) => {
    const hash = keccak(bytes)
    memo.get(key, () => hash)
    return hash
  })
}

/**
 * The id of a DepositoryDeposit: one deposit of a transaction. Without a generator, because an oracle makes one for each
 * attestation.
 */
export const depositMessageId = (
  chain: ChainRef,
  message: DepositMessage
): Result.Result<Hex32, InvalidTransactionId | InvalidAddress | InvalidAbi> => {
  const codec = codecOf(chain)
  const transaction = transactionIdToBytes(chain.family, message.transactionId)
  if (Result.isFailure(transaction)) return Result.fail(transaction.failure)
  const depository = hashOfText(depositories, chain, message.depository, codec.toBytes)
  if (Result.isFailure(depository)) return Result.fail(depository.failure)
  const depositor = codec.toBytes(message.depositor)
  if (Result.isFailure(depositor)) return Result.fail(depositor.failure)
  const currency = hashOfText(currencies, chain, message.currency, codec.currencyToBytes)
  if (Result.isFailure(currency)) return Result.fail(currency.failure)
  const amount = uint256(message.amount, "amount")
  if (Result.isFailure(amount)) return Result.fail(amount.failure)
  const slug = texts.get(chain.slug, () => keccakText(chain.slug)) ?? keccakText(chain.slug)
  const data = hashWords([depositDataTypeHash, slug, keccak(transaction.success)])
  const result = hashWords([
    depositResultTypeHash,
    hexToBytes(message.onchainId),
    depository.success,
    hexToBytes(message.depositId),
    keccak(depositor.success),
    currency.success,
    amount.success
  ])
  return Result.succeed(hex32FromDigest(hashWords([depositTypeHash, data, result])))
}

/** The id of a DepositoryWithdrawal: the status of a withdrawal. */
export const withdrawalMessageId = (
  chain: ChainRef,
  message: WithdrawalMessage
): Result.Result<Hex32, InvalidAddress> =>
  Result.map(codecOf(chain).toBytes(message.depository), (depository) => {
    const data = hashWords([withdrawalDataTypeHash, keccakText(chain.slug), keccak(hexToBytes(message.withdrawal))])
    const result = hashWords([
      withdrawalResultTypeHash,
      hexToBytes(message.withdrawalId),
      keccak(depository),
      word(BigInt(message.status))
    ])
    return hex32FromDigest(hashWords([withdrawalTypeHash, data, result]))
  })
