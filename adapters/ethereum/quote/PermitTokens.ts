/**
 * What a token lets its owners sign, found out from the token itself: its EIP-712 domain is the one whose separator is
 * the token's own DOMAIN_SEPARATOR, and a kind is there when the token answers what only that kind has.
 *
 * A token that takes every call and does nothing (a fallback) answers no word and so has no kind. What a token can do
 * is asked once in a while; an owner's nonce every time.
 */
import { Effect, Layer, Result } from "effect"
import {
  BaseError,
  ContractFunctionExecutionError,
  domainSeparator,
  erc20Abi,
  keccak256,
  parseAbi,
  stringToHex
} from "viem"
import type { Hex, PublicClient } from "viem"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import type { PermitStanding, PermitWay } from "../../../ports/chain/PermitTokens.ts"
import { addressCodec } from "../../../src/domain/chain/Address.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { PermitDomain, PermitTerms } from "../../../src/domain/permit/Permit.ts"
import type { Permitted } from "../../../src/domain/permit/PermitSpender.ts"
import { permitSpender } from "../../../src/domain/permit/PermitSpender.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const abi = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function nonces(address owner) view returns (uint256)",
  "function PERMIT_TYPEHASH() view returns (bytes32)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

const permit2Abi = parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"])

/** What tokens say that name no version. */
const USUAL_VERSIONS = ["1", "2"] as const

/** How long what a token can do is remembered. */
const REMEMBERED_MS = 600_000

type Ability = Pick<PermitWay, "kind" | "domain" | "verifier">

/** What a contract says, or undefined when it has no such function: a node that does not answer is another matter. */
const ask = async <A>(asked: Promise<A>): Promise<A | undefined> => {
  try {
    return await asked
  } catch (error) {
    const answered = error instanceof ContractFunctionExecutionError &&
      error.walk((cause) =>
          cause instanceof BaseError &&
          [
            "ContractFunctionRevertedError",
            "ContractFunctionZeroDataError",
            "AbiDecodingDataSizeTooSmallError",
            "AbiDecodingZeroDataError",
            "PositionOutOfBoundsError",
            "InvalidBytesBooleanError"
          ].includes(cause.name)
        ) !== null
    if (answered) return undefined
    throw error
  }
}

/** The domain that the token signs in; undefined for one that says none that is known. */
const domainOf = async (client: PublicClient, chain: Chain, token: Hex): Promise<PermitDomain | undefined> => {
  const contract = { abi, address: token }
  const [separator, name, version] = await Promise.all([
    ask(client.readContract({ ...contract, functionName: "DOMAIN_SEPARATOR" })),
    ask(client.readContract({ ...contract, functionName: "name" })),
    ask(client.readContract({ ...contract, functionName: "version" }))
  ])
  if (separator === undefined || name === undefined) return undefined
  return [...(version === undefined ? [] : [version]), ...USUAL_VERSIONS]
    .map((each) => ({ name, version: each }))
    .find((domain) =>
      domainSeparator({ domain: { ...domain, chainId: chain.id, verifyingContract: token } }) === separator
    )
}

const NO_NONCE = `0x${"00".repeat(32)}` as const

/** What EIP-2612 signs. A token that names another one, as DAI does on Ethereum, has a permit of its own shape. */
const PERMIT_TYPEHASH = keccak256(
  stringToHex("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)")
)

/** Undefined for a token that has none. */
export const abilityOf = async (client: PublicClient, chain: Chain, token: Address): Promise<Ability | undefined> => {
  const contract = { abi, address: viemHex(token) }
  const domain = await domainOf(client, chain, viemHex(token))
  if (domain !== undefined) {
    const [state, nonce, typeHash] = await Promise.all([
      ask(client.readContract({ ...contract, functionName: "authorizationState", args: [viemHex(token), NO_NONCE] })),
      ask(client.readContract({ ...contract, functionName: "nonces", args: [viemHex(token)] })),
      ask(client.readContract({ ...contract, functionName: "PERMIT_TYPEHASH" }))
    ])
    if (state !== undefined) return { kind: "eip3009", domain, verifier: token }
    if (nonce !== undefined && (typeHash === undefined || typeHash === PERMIT_TYPEHASH)) {
      return { kind: "eip2612", domain, verifier: token }
    }
  }
  const permit2 = chain.permits?.permit2
  return permit2 === undefined ? undefined : { kind: "permit2", domain: { name: "Permit2" }, verifier: permit2 }
}

/** Whether the nonce is used; for EIP-2612 it may be, as long as the allowance that it gave is there. */
const isUsed = async (
  client: PublicClient,
  { amount, deadline, orderId, owner, token }: Permitted,
  { forwarder, kind, nonce = 0n, verifier }: PermitTerms
): Promise<boolean> => {
  const account = viemHex(owner)
  const contract = { abi, address: viemHex(token) }
  switch (kind) {
    case "eip3009":
      return client.readContract({ ...contract, functionName: "authorizationState", args: [account, viemHex(orderId)] })
    case "permit2": {
      const number = BigInt(orderId)
      const word = await client.readContract({
        abi: permit2Abi,
        address: viemHex(verifier),
        functionName: "nonceBitmap",
        args: [account, number >> 8n]
      })
      return ((word >> (number & 0xffn)) & 1n) === 1n
    }
    case "eip2612": {
      const spender = Result.getOrThrow(permitSpender(forwarder, { owner, token, amount, orderId, deadline }))
      const [now, allowance] = await Promise.all([
        client.readContract({ ...contract, functionName: "nonces", args: [account] }),
        client.readContract({
          abi: erc20Abi,
          address: viemHex(token),
          functionName: "allowance",
          args: [account, viemHex(spender)]
        })
      ])
      return now !== nonce && allowance < amount
    }
  }
}

export const layer = Layer.effect(
  PermitTokens,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const known = new Map<string, { readonly at: number; readonly ability: Ability | undefined }>()

    const ability = (client: PublicClient, chain: Chain, token: Address, now: number) => {
      const key = `${chain.id} ${token}`
      const before = known.get(key)
      if (before !== undefined && now - before.at < REMEMBERED_MS) return before.ability
      return abilityOf(client, chain, token).then((found) => {
        known.set(key, { at: now, ability: found })
        return found
      })
    }

    const tokenOf = ({ address }: Currency): Address => Result.getOrThrow(addressCodec("ethereum-vm").parse(address))

    const wayOf = Effect.fn("PermitTokens.wayOf")(function*(chain: Chain, currency: Currency, owner: Address) {
      if (currency.isNative) return undefined
      const token = tokenOf(currency)
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      return yield* rpc.call(chain, "permits of a token", async (client): Promise<PermitWay | undefined> => {
        const found = await ability(client, chain, token, now)
        if (found?.kind !== "eip2612") return found
        return {
          ...found,
          nonce: await client.readContract({
            abi,
            address: viemHex(token),
            functionName: "nonces",
            args: [viemHex(owner)]
          })
        }
      })
    })

    const standing = (chain: Chain, permitted: Permitted, terms: PermitTerms) =>
      rpc.call(chain, "standing of a permit", async (client): Promise<PermitStanding> => {
        const token = { abi: erc20Abi, address: viemHex(permitted.token) }
        const owner = viemHex(permitted.owner)
        const [used, balance, allowance, block] = await Promise.all([
          isUsed(client, permitted, terms),
          client.readContract({ ...token, functionName: "balanceOf", args: [owner] }),
          terms.kind === "permit2"
            ? client.readContract({ ...token, functionName: "allowance", args: [owner, viemHex(terms.verifier)] })
            : undefined,
          client.getBlock()
        ])
        return { used, balance, allowance, time: Number(block.timestamp) }
      })

    return PermitTokens.of({ wayOf, standing })
  })
)
