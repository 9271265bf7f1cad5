/** Withdrawal encodings and ids against viem, @solana/kit's codecs and bitcoinjs-lib. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import {
  address as solanaAddress,
  getAddressEncoder,
  getI64Encoder,
  getOptionEncoder,
  getStructEncoder,
  getU64Encoder,
  none,
  some
} from "@solana/kit"
import { Psbt } from "bitcoinjs-lib"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { encodeAbiParameters, hashStruct, keccak256, stringToBytes } from "viem"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { hexFromBytes, hexToBytes } from "../../encoding/Hex.ts"
import {
  callRequest,
  exchangeAWithdrawal,
  exchangeBWithdrawal,
  psbtHex,
  solanaWithdrawal
} from "../testing/Withdrawals.ts"
import { bitcoinWithdrawalId, decodeBitcoinWithdrawal } from "../../families/bitcoin/BitcoinWithdrawal.ts"
import { ethereumCodec } from "../../families/ethereum/EthereumWithdrawal.ts"
import { encodeExchangeAWithdrawal, exchangeAWithdrawalId } from "../../families/exchange-a/ExchangeAWithdrawal.ts"
import { encodeExchangeBWithdrawal, exchangeBWithdrawalId } from "../../families/exchange-b/ExchangeBWithdrawal.ts"
import { encodeSolanaWithdrawal, solanaWithdrawalId } from "../../families/solana/SolanaWithdrawal.ts"
import { tronCodec } from "../../families/tron/TronWithdrawal.ts"

const sha256 = (data: Uint8Array | string) => `0x${createHash("sha256").update(data).digest("hex")}`
const runs = () => ({ numRuns: inputs(300, 20_000) })
type Fields = ReadonlyArray<{ readonly name: string; readonly type: string }>

/** Parses "type name,type name" into viem's parameters. */
const fields = (text: string): Fields =>
  text.split(",").map((each) => {
    const [type = "", name = ""] = each.split(" ")
    return { type, name }
  })
const encodeTuple = (components: Fields, value: object): `0x${string}` =>
  encodeAbiParameters([{ type: "tuple", components }], [{ ...value }])
const viemHash = (primaryType: string, types: { readonly [name: string]: Fields }, data: object) =>
  hashStruct({ primaryType, types, data: { ...data } })

describe("call requests", () => {
  const call = fields("address to,bytes data,uint256 value,bool allowFailure")
  const components = [
    { name: "calls", type: "tuple[]", components: call },
    ...fields("uint256 nonce,uint256 expiration")
  ]
  const types = { CallRequest: fields("Call[] calls,uint256 nonce,uint256 expiration"), Call: call }

  it("equal viem's encoding and struct hash, on Tron too", () => {
    fc.assert(
      fc.property(callRequest, (request) => {
        const encoded = encodeTuple(components, request)
        const hash = viemHash("CallRequest", types, request)
        assert.strictEqual(Result.getOrThrow(ethereumCodec.encode(request)), encoded)
        assert.strictEqual(Result.getOrThrow(tronCodec.encode(request)), encoded)
        assert.strictEqual(Result.getOrThrow(ethereumCodec.idOf(request)), hash)
        assert.strictEqual(Result.getOrThrow(tronCodec.idOf(request)), hash)
      }),
      runs()
    )
  })
})

describe("transfer requests of Solana", () => {
  const encoder = getStructEncoder([
    ["domain", getAddressEncoder()],
    ["recipient", getAddressEncoder()],
    ["token", getOptionEncoder(getAddressEncoder())],
    ["amount", getU64Encoder()],
    ["nonce", getU64Encoder()],
    ["expiration", getI64Encoder()],
    ["vault", getAddressEncoder()]
  ])

  it("equal @solana/kit's Borsh, and the id is its sha256", () => {
    fc.assert(
      fc.property(solanaWithdrawal, (request) => {
        // The domain is 32 bytes. kit's encoder takes them as an address.
        const rest = encoder.encode({
          domain: solanaAddress("11111111111111111111111111111111"),
          recipient: solanaAddress(request.recipient),
          token: request.token === undefined ? none() : some(solanaAddress(request.token)),
          amount: request.amount,
          nonce: request.nonce,
          expiration: request.expiration,
          vault: solanaAddress(request.vault)
        })
        const expected = Uint8Array.from(rest)
        expected.set(hexToBytes(request.domain))
        assert.strictEqual(Result.getOrThrow(encodeSolanaWithdrawal(request)), hexFromBytes(expected))
        assert.strictEqual(Result.getOrThrow(solanaWithdrawalId(request)), sha256(expected))
      }),
      runs()
    )
  })
})

describe("PSBTs", () => {
  it("contain what bitcoinjs-lib reads in them", () => {
    fc.assert(
      fc.property(psbtHex, (encoded) => {
        const theirs = Psbt.fromHex(encoded.slice(2))
        const ours = Result.getOrThrow(decodeBitcoinWithdrawal(encoded))
        assert.deepStrictEqual(
          ours.transaction.inputs,
          theirs.txInputs.map(({ hash, index, sequence }) => ({
            transactionId: hexFromBytes(hash.toReversed()).slice(2),
            index,
            sequence: sequence ?? 0xffff_ffff
          }))
        )
        assert.deepStrictEqual(
          ours.transaction.outputs,
          theirs.txOutputs.map(({ script, value }) => ({ script: Uint8Array.from(script), amount: value }))
        )
        assert.strictEqual(ours.transaction.lockTime, theirs.locktime)
        assert.strictEqual(bitcoinWithdrawalId(ours), sha256(encoded))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })
})

describe("transfers of exchange A", () => {
  const usdSend = fields("string hyperliquidChain,string destination,string amount,uint64 time")
  const sendAsset = fields(
    "string hyperliquidChain,string destination,string sourceDex,string destinationDex,string token,string amount,string fromSubAccount,uint64 nonce"
  )

  it("equal viem's encoding and struct hash", () => {
    fc.assert(
      fc.property(exchangeAWithdrawal, (request) => {
        const [txType, components] = request._tag === "UsdSend" ? [0, usdSend] as const : [1, sendAsset] as const
        const parameters = encodeTuple(components, request)
        assert.strictEqual(
          Result.getOrThrow(encodeExchangeAWithdrawal(request)),
          encodeTuple(fields("uint8 txType,bytes parameters"), { txType, parameters })
        )
        const primaryType = `HyperliquidTransaction:${request._tag}`
        assert.strictEqual(
          Result.getOrThrow(exchangeAWithdrawalId(request)),
          viemHash(primaryType, { [primaryType]: components }, request)
        )
      }),
      runs()
    )
  })
})

describe("transfers of exchange B", () => {
  const names = [
    "nonce",
    "fromAccountIndex",
    "fromRouteType",
    "apiKeyIndex",
    "toAccountIndex",
    "toRouteType",
    "assetIndex",
    "amount",
    "usdcFee",
    "lighterChainId"
  ] as const

  it("equal viem's encoding, and the id is keccak256 of the signed text", () => {
    fc.assert(
      fc.property(exchangeBWithdrawal, (request) => {
        const components = [...names.map((name) => ({ name, type: "uint64" })), { name: "memo", type: "bytes32" }]
        const parameters = encodeTuple(components, request)
        assert.strictEqual(
          Result.getOrThrow(encodeExchangeBWithdrawal(request)),
          encodeTuple(fields("uint8 actionType,bytes parameters"), { actionType: 0, parameters })
        )
        const [nonce, from, fromRoute, key, to, toRoute, asset, amount, fee, chainId] = names.map((name) =>
          `0x${request[name].toString(16).padStart(16, "0")}`
        )
        const text =
          `Transfer\n\nnonce: ${nonce}\nfrom: ${from} (route ${fromRoute})\napi key: ${key}\nto: ${to} (route ${toRoute})\n` +
          `asset: ${asset}\namount: ${amount}\nfee: ${fee}\nchainId: ${chainId}\nmemo: ${request.memo.slice(2)}\n` +
          "Only sign this message for a trusted client!"
        assert.strictEqual(Result.getOrThrow(exchangeBWithdrawalId(request)), keccak256(stringToBytes(text)))
      }),
      runs()
    )
  })
})
