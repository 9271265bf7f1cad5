/**
 * Our depository program on the local chain: its addresses and its instructions, for clients that deposit or that
 * execute what the allocator has signed. The layouts are those of adapters/solana/program.
 */
import type { AccountMeta, AccountSignerMeta, Address, Instruction, TransactionSigner } from "@solana/kit"
import { AccountRole, address, createNoopSigner, getAddressEncoder, getProgramDerivedAddress } from "@solana/kit"
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, findAssociatedTokenPda } from "@solana-program/token"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { systemProgram } from "./node/Account.ts"
import { keyOfName } from "./node/LocalKey.ts"

/** The program's own key. Its address is the program's id, and its signature initialises the depository. */
export const programKey = keyOfName("causeway.localnet.solana.depository")
export const program: Address = programKey.address

/** The name of the chain in the requests' domain. */
export const domainChainId = "causeway-solana"

export const programFile = new URL("../../../../adapters/solana/program/depository.so", import.meta.url)
export const programBytes = (): Uint8Array => new Uint8Array(readFileSync(programFile))

const pda = async (...seeds: ReadonlyArray<string | Uint8Array>): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress: program, seeds: [...seeds] }))[0]

export const depository: Address = await pda("relay_depository")
export const vault: Address = await pda("vault")

/** The account that shows whether a request was executed. */
export const usedRequest = (id: Uint8Array): Promise<Address> => pda("used_request", id)

/** The associated token account of a wallet. */
export const tokenAccount = async (owner: Address, mint: Address, tokenProgram: Address): Promise<Address> =>
  (await findAssociatedTokenPda({ owner, mint, tokenProgram }))[0]

const bytesOf = (key: Address) => new Uint8Array(getAddressEncoder().encode(key))
const sha256 = (...parts: ReadonlyArray<Uint8Array | string>): Uint8Array =>
  new Uint8Array(parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest())
const discriminator = (name: string) => sha256(`global:${name}`).subarray(0, 8)
const u64 = (value: bigint): Uint8Array => new Uint8Array(BigUint64Array.of(value).buffer)
const borsh = (text: string): Uint8Array =>
  Buffer.concat([new Uint8Array(Uint32Array.of(text.length).buffer), Buffer.from(text)])

/** The domain that a request has to name. At initialisation it is made of name, version, chain and program. */
export const domain: Uint8Array = sha256(borsh("RelayDepository"), borsh("1"), borsh(domainChainId), bytesOf(program))

const readonly = (key: Address): AccountMeta => ({ address: key, role: AccountRole.READONLY })
const writable = (key: Address): AccountMeta => ({ address: key, role: AccountRole.WRITABLE })
const payer = (signer: TransactionSigner): AccountSignerMeta => ({
  address: signer.address,
  role: AccountRole.WRITABLE_SIGNER,
  signer
})
const signing = (signer: TransactionSigner): AccountSignerMeta => ({
  address: signer.address,
  role: AccountRole.READONLY_SIGNER,
  signer
})

const instruction = (
  name: string,
  args: ReadonlyArray<Uint8Array>,
  accounts: ReadonlyArray<AccountMeta | AccountSignerMeta>
): Instruction => ({
  programAddress: program,
  accounts,
  data: new Uint8Array(Buffer.concat([discriminator(name), ...args]))
})

export const initialize = (owner: TransactionSigner, allocator: Address): Instruction =>
  instruction("initialize", [borsh(domainChainId)], [
    writable(depository),
    writable(vault),
    payer(owner),
    readonly(allocator),
    readonly(systemProgram),
    signing(createNoopSigner(program))
  ])

export const setAllocator = (owner: TransactionSigner, allocator: Address): Instruction =>
  instruction("set_allocator", [bytesOf(allocator)], [writable(depository), signing(owner)])

export const setOwner = (owner: TransactionSigner, next: Address): Instruction =>
  instruction("set_owner", [bytesOf(next)], [writable(depository), signing(owner)])

export interface Deposit {
  readonly sender: TransactionSigner
  /** The account that is credited with the deposit. Default: the sender. */
  readonly depositor?: Address | undefined
  readonly amount: bigint
  /** 32 bytes: the id of the order. */
  readonly id: Uint8Array
}

export const depositNative = ({ amount, depositor, id, sender }: Deposit): Instruction =>
  instruction("deposit_native", [u64(amount), id], [
    readonly(depository),
    payer(sender),
    readonly(depositor ?? sender.address),
    writable(vault),
    readonly(systemProgram)
  ])

export const depositToken = async (
  { amount, depositor, id, mint, sender, tokenProgram }: Deposit & {
    readonly mint: Address
    readonly tokenProgram: Address
  }
): Promise<Instruction> =>
  instruction("deposit_token", [u64(amount), id], [
    readonly(depository),
    payer(sender),
    readonly(depositor ?? sender.address),
    readonly(vault),
    readonly(mint),
    writable(await tokenAccount(sender.address, mint, tokenProgram)),
    writable(await tokenAccount(vault, mint, tokenProgram)),
    readonly(tokenProgram),
    readonly(ASSOCIATED_TOKEN_PROGRAM_ADDRESS),
    readonly(systemProgram)
  ])

export interface TransferRequest {
  readonly recipient: Address
  /** None for SOL. */
  readonly token?: Address | undefined
  readonly amount: bigint
  readonly nonce: bigint
  /** Seconds since 1970. It can be executed only before that. */
  readonly expiration: bigint
  /** Default: this depository's. */
  readonly domain?: Uint8Array | undefined
  readonly vault?: Address | undefined
}

/** The bytes that the program hashes. The domain's codec (src/domain/families/solana) makes the same. */
export const requestBytes = (request: TransferRequest): Uint8Array =>
  new Uint8Array(Buffer.concat([
    request.domain ?? domain,
    bytesOf(request.recipient),
    request.token === undefined ? Uint8Array.of(0) : Buffer.concat([Uint8Array.of(1), bytesOf(request.token)]),
    u64(request.amount),
    u64(request.nonce),
    u64(BigInt.asUintN(64, request.expiration)),
    bytesOf(request.vault ?? vault)
  ]))

export const requestId = (request: TransferRequest): Uint8Array => sha256(requestBytes(request))

const ed25519Program = address("Ed25519SigVerify111111111111111111111111111")
const instructionsSysvar = address("Sysvar1nstructions1111111111111111111111111")

/**
 * Has the Ed25519 program verify a signature of 32 bytes. Directly before `executeTransfer`, this proves an allocation.
 */
export const verifySignature = (signer: Address, signature: Uint8Array, message: Uint8Array): Instruction => {
  const header = Uint16Array.of(1, 48, 0xffff, 16, 0xffff, 112, message.length, 0xffff)
  return {
    programAddress: ed25519Program,
    accounts: [],
    data: new Uint8Array(Buffer.concat([new Uint8Array(header.buffer), bytesOf(signer), signature, message]))
  }
}

/** Pays what a request says. For a token, the recipient's associated account must exist. */
export const executeTransfer = async (
  executor: TransactionSigner,
  request: TransferRequest,
  tokenProgram: Address
): Promise<Instruction> => {
  const { recipient, token } = request
  const ofToken = token === undefined
    ? [readonly(program), readonly(program), readonly(program)]
    : [
      readonly(token),
      writable(await tokenAccount(recipient, token, tokenProgram)),
      writable(await tokenAccount(vault, token, tokenProgram))
    ]
  return instruction("execute_transfer", [requestBytes(request)], [
    readonly(depository),
    payer(executor),
    writable(recipient),
    writable(vault),
    ...ofToken,
    writable(await usedRequest(requestId(request))),
    readonly(instructionsSysvar),
    readonly(tokenProgram),
    readonly(ASSOCIATED_TOKEN_PROGRAM_ADDRESS),
    readonly(systemProgram)
  ])
}
