import { readdir, mkdir, copyFile } from "node:fs/promises"
import { join } from "node:path"

const packages = await readdir("packages")
await mkdir("dist", { recursive: true })

for (const name of packages) {
  const built = join("packages", name, "build")
  for (const file of await readdir(built)) {
    await copyFile(join(built, file), join("dist", `${name}.${file}`))
  }
}

console.log(`bundled ${packages.length} packages`)
