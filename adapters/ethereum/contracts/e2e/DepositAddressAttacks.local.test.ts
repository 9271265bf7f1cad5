/**
 * Attacks by thieves and strangers on deposit addresses (ADDRESS-2). Money must only go to the depository. For tokens
 * see DepositAddressTokens.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import { concat, encodeFunctionData, erc20Abi, getAddress, hexToBytes, slice } from "viem"
import { abi as addressAbi } from "../artifacts/DepositAddress.ts"
import { abi } from "../artifacts/DepositAddresses.ts"
import type { SweepOf } from "../testing/Factory.ts"
import {
  CREATE2_DEPLOYER,
  deployment,
  factoryOf,
  setDepository,
  setOperator,
  sweepData,
  sweepForData,
  sweepManyData
} from "../testing/Factory.ts"
import { event, eventsOf, NATIVE, useFixture } from "../testing/Fixture.ts"
import { fund, LATER, ORDER, sweepOf, untouched, usersAddress } from "../testing/UsersAddress.ts"

const fixture = useFixture()

const home = (): Address => usersAddress(fixture())
const of = (currency: Address, change: Partial<SweepOf> = {}): SweepOf => sweepOf(fixture(), currency, change)
const implementation = () =>
  fixture().client.readContract({ address: fixture().factory, abi, functionName: "IMPLEMENTATION" })
const deposit = (depository: Address, currency: Address, amount: bigint): Hex =>
  encodeFunctionData({
    abi: addressAbi,
    functionName: "deposit",
    args: [depository, fixture().thief, LATER, currency, amount]
  })

describe("deploying first", () => {
  it("the factory: deployed by anyone, it is the same contract with the same owner, and cannot be deployed twice", async () => {
    const { client, owner, refusal, send, stranger, thief } = fixture()
    await send(thief, CREATE2_DEPLOYER, deployment(stranger))
    assert.strictEqual(
      await client.readContract({ address: factoryOf(stranger), abi, functionName: "owner" }),
      getAddress(stranger)
    )
    assert.strictEqual(
      await refusal(thief, factoryOf(stranger), setDepository(fixture().depository)),
      "OwnableUnauthorizedAccount"
    )
    const again = await client.call({ account: thief, to: CREATE2_DEPLOYER, data: deployment(owner) }).then(
      () => "deployed",
      () => "refused"
    )
    assert.strictEqual(again, "refused")
    assert.notStrictEqual(factoryOf(thief), factoryOf(owner))
  })

  it("an address, with dust: later payments and sweeps are unaffected", async () => {
    const { depository, factory, mint, send, solver, thief, usdc, user } = fixture()
    await send(thief, home(), "0x", 1n)
    await send(solver, factory, sweepData(of(NATIVE)))
    await mint(usdc, home(), 7n)
    const receipt = await send(solver, factory, sweepData(of(usdc)))
    assert.includeMembers([...eventsOf(receipt)], [event("RelayErc20Deposit", user, usdc, 7n, ORDER)])
    assert.strictEqual(await fixture().balance(usdc, depository), 7n)
  })
})

describe("direct calls", () => {
  it("to an address, by anyone and with any arguments, do nothing and take nothing", async () => {
    const { client, depository, owner, puppet, send, solver, teach, thief, usdc, user } = fixture()
    for (const exists of [false, true]) {
      const snapshot = await client.snapshot()
      await fund(fixture(), exists)
      const calls = [
        deposit(depository, NATIVE, 10n),
        deposit(puppet, NATIVE, 10n),
        deposit(puppet, usdc, 10n),
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [thief, 10n] }),
        encodeFunctionData({ abi, functionName: "transferOwnership", args: [thief] }),
        "0x01",
        `0x${"ff".repeat(1000)}`
      ] as const
      for (const data of calls) {
        for (const from of [thief, solver, owner, user]) {
          assert.deepStrictEqual(eventsOf(await send(from, home(), data)), [])
          assert.strictEqual(
            (await client.call({ account: from, to: home(), data })).data,
            undefined,
            "it answers nothing: no hook, no signature is accepted"
          )
        }
        await teach([{ to: home(), data }], true)
        await send(thief, puppet, "0x")
      }
      await untouched(fixture())
      await client.revert({ id: snapshot })
    }
  })

  it("to the implementation, or through a thief's proxy to it, are refused, also with money", async () => {
    const { create, depository, owner, puppet, refusal, solver, thief, usdc } = fixture()
    await fund(fixture(), true)
    const code = await implementation()
    const clone = await create(
      thief,
      concat(["0x3d602d80600a3d3981f3363d3d373d3d3d363d73", code, "0x5af43d82803e903d91602b57fd5bf3"])
    )
    for (const from of [thief, solver, owner]) {
      for (const to of [code, clone]) {
        for (const [target, currency] of [[depository, NATIVE], [puppet, NATIVE], [puppet, usdc]] as const) {
          assert.strictEqual(await refusal(from, to, deposit(target, currency, 1n)), "NotTheFactory")
        }
        assert.strictEqual(await refusal(from, to, "0x", 1n), "(no reason)")
      }
    }
    await untouched(fixture())
  })

  it("to the factory's internal sweep function are refused, also for operators and the owner", async () => {
    const { factory, owner, refusal, solver, thief } = fixture()
    await fund(fixture(), true)
    const data = encodeFunctionData({
      abi,
      functionName: "sweepApart",
      args: [{ orderId: ORDER, depositor: thief, id: LATER, currency: NATIVE }]
    })
    for (const from of [thief, solver, owner]) assert.strictEqual(await refusal(from, factory, data), "NotTheFactory")
    assert.strictEqual(await refusal(thief, factory, "0x", 1n), "(no reason)", "the factory takes no money")
  })

  it("could not end the code either: it has no selfdestruct, and delegates to one place", async () => {
    const { client } = fixture()
    await fund(fixture(), true)
    const codeOf = async (address: Address) => await client.getCode({ address }) ?? "0x"
    // The last two bytes of a contract give the length of the metadata before them, which are not code.
    const withoutMetadata = (code: Hex) => slice(code, 0, -2 - Number(slice(code, -2)))
    assert.deepStrictEqual(opcodes(await codeOf(home())).filter((code) => dangerous.has(code)), [DELEGATECALL])
    assert.deepStrictEqual(
      opcodes(withoutMetadata(await codeOf(await implementation()))).filter((code) => dangerous.has(code)),
      []
    )
    assert.deepStrictEqual(
      opcodes(withoutMetadata(await codeOf(fixture().factory))).filter((code) => dangerous.has(code)),
      [CREATE2]
    )
  })
})

const [CREATE, CALLCODE, DELEGATECALL, CREATE2, SELFDESTRUCT] = [0xf0, 0xf2, 0xf4, 0xf5, 0xff] as const
const dangerous = new Set<number>([CREATE, CALLCODE, DELEGATECALL, CREATE2, SELFDESTRUCT])

/** The instructions of a code, without pushed bytes. */
const opcodes = (code: Hex): ReadonlyArray<number> => {
  const bytes = hexToBytes(code)
  const found: Array<number> = []
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] ?? 0
    found.push(opcode)
    // 0x60 pushes one byte, 0x7f pushes thirty-two.
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f
  }
  return found
}

describe("another order's id", () => {
  it("can be used by operators only, in every form", async () => {
    const { factory, owner, refusal, send, solver, thief, user } = fixture()
    await fund(fixture(), true)
    const later = of(NATIVE, { id: LATER })
    for (const from of [thief, user, owner]) {
      assert.strictEqual(await refusal(from, factory, sweepForData(later)), "NotAnOperator")
      assert.strictEqual(await refusal(from, factory, sweepManyData([of(NATIVE), later])), "NotAnOperator")
      // The address's own order, passed as a later one: also for operators only.
      assert.strictEqual(await refusal(from, factory, sweepForData(of(NATIVE))), "NotAnOperator")
    }
    await untouched(fixture())
    assert.deepStrictEqual(eventsOf(await send(solver, factory, sweepManyData([later]))), [
      event("RelayNativeDeposit", user, 10n, LATER)
    ])
  })

  it("is never in a sweep's last 32 bytes, where it would name a payment", () => {
    for (
      const data of [
        sweepData(of(fixture().usdc)),
        sweepForData(of(fixture().usdc, { id: LATER })),
        sweepManyData([of(fixture().usdc, { id: LATER })])
      ]
    ) {
      assert.strictEqual(slice(data, -32, -20), `0x${"00".repeat(12)}`)
    }
  })
})

describe("another factory", () => {
  it("deployed by a thief, with the thief's depository and operator, has no power over these addresses", async () => {
    const { deployFactory, puppet, refusal, send, thief, usdc } = fixture()
    await fund(fixture(), true)
    const his = await deployFactory(thief)
    await send(thief, his, setDepository(puppet))
    await send(thief, his, setOperator(thief))
    for (const currency of [NATIVE, usdc]) {
      assert.strictEqual(await refusal(thief, his, sweepData(of(currency))), "NothingToSweep")
      assert.strictEqual(await refusal(thief, his, sweepForData(of(currency, { id: LATER }))), "NothingToSweep")
    }
    await untouched(fixture())
  })
})
