import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { LinkError, readObject } from "../../../scripts/sbf/ElfObject.ts"
import { requireClang } from "../../../scripts/testing/Capability.ts"

const clang = requireClang()

describe("depository.so, swap-depositor.so, and the local network's pools.so", () => {
  it.skipIf(clang === undefined)("are the compiled sources", () => {
    const { status, stderr } = spawnSync(process.execPath, [
      join(import.meta.dirname, "../../../scripts/compile-program.ts"),
      "--check"
    ], { encoding: "utf8" })
    assert.strictEqual(stderr, "")
    assert.strictEqual(status, 0)
  })

  it("names the pools' instructions and account as Anchor does", () => {
    const source = readFileSync(
      join(import.meta.dirname, "../../../hosts/localnet/nodes/solana/pools/src/pools.c"),
      "utf8"
    )
    for (
      const name of [
        "global:route",
        "global:exact_out_route",
        "global:shared_accounts_route",
        "global:shared_accounts_exact_out_route",
        "account:Pool"
      ]
    ) {
      const number = createHash("sha256").update(name).digest().readBigUInt64LE(0)
      assert.include(source, `0x${number.toString(16).padStart(16, "0")}ULL`, name)
    }
  })

  it("names instructions, accounts and events as Anchor does", () => {
    const sources = ["depository.c", "state.h", "deposit.h", "withdraw.h", "swap_depositor.c"].map((name) =>
      readFileSync(join(import.meta.dirname, "src", name), "utf8")
    ).join("\n")
    const names = [
      ...[
        "initialize",
        "set_allocator",
        "set_owner",
        "deposit_native",
        "deposit_token",
        "execute_transfer",
        "swap_and_deposit"
      ].map((
        name
      ) => `global:${name}`),
      "account:RelayDepository",
      "account:UsedRequest",
      "event:DepositEvent",
      "event:TransferExecutedEvent"
    ]
    for (const name of names) {
      const number = createHash("sha256").update(name).digest().readBigUInt64LE(0)
      assert.include(sources, `0x${number.toString(16).padStart(16, "0")}ULL`, name)
    }
  })

  it("is linked from a single object file", () => {
    assert.throws(() => readObject(new Uint8Array(64)), LinkError)
  })
})
