import { MediaProgram } from "../../src/features/camera-feed/capture/media-program.js";

// Tells its number, and stays until it is ended.
const program = new MediaProgram(["/bin/sh", "-c", "echo $$; exec sleep 600"], "", 0);
program.output.pipe(process.stdout);
