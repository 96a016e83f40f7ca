/** Fields of the metadata, as ffprobe names them. */
const metadataFields = [
  "width",
  "height",
  "codec_name",
  "display_aspect_ratio",
  "pix_fmt",
  "avg_frame_rate",
  "duration_ts",
  "duration",
  "bit_rate",
  "nb_frames",
];

/** 50 megapixels, and the lines and columns that decoders add. */
const maxPaddedPixels = 52_000_000;
/** The length of a frame, at most. */
export const maxFrameBytes = 10 * 1024 * 1024;
const maxLiveWidth = 1280;
const framesPerSecond = 5;

/**
 * Without a relay, nothing but the script on standard input may be read. Sound that was announced but not sent while
 * the stream was opened is not waited for once more. A few pictures tell the frame rate: of single ones, two come a second.
 */
export const scriptInput =
  "-analyzeduration 2000000 -fpsprobesize 3 -protocol_whitelist pipe -f concat -safe 0 -i pipe:0".split(" ");
/** What {@link copyParameters} made of a stream, on standard input. */
export const packetInput = "-protocol_whitelist pipe -f mov -i pipe:0".split(" ");

/** ffprobe's parameters to tell the metadata of a stream's video. */
export const probeParameters = (input: readonly string[]): readonly string[] => [
  ..."-v error -select_streams v:0 -of json -show_entries".split(" "),
  `stream=${[...metadataFields, "sample_aspect_ratio"].join(",")}:stream_side_data=rotation`,
  ...input,
];

/** ffmpeg's parameters to write the video's frames as JPEGs, each with its length. */
const frameParameters = (
  input: readonly string[],
  decoding: string,
  encoding: readonly string[],
): readonly string[] => [
  ...`-v error -nostdin -filter_threads 1 -max_pixels ${maxPaddedPixels} -threads 1${decoding}`.split(" "),
  ...input,
  ..."-map 0:v:0 -threads 1 -pix_fmt yuvj420p".split(" "),
  ...encoding,
  ..."-f mpjpeg pipe:1".split(" "),
];

/** The widest pixels, and the inverse of the narrowest, that are believed. */
export const maxPixelRatio = 8;
/** Makes all pixels square, so that shapes in a picture are those that the camera sees. */
const squarePixels = `scale='if(between(sar,1/${maxPixelRatio},${maxPixelRatio}),max(1,round(iw*sar)),iw)':ih,setsar=1`;

/** ffmpeg's parameters to write the first picture that needs none before it. */
export const pictureParameters = (input: readonly string[]): readonly string[] =>
  frameParameters(input, " -skip_frame nokey", `-vf ${squarePixels} -frames:v 1 -q:v 3`.split(" "));

/** Clocks of cameras jump, so frames with earlier times pass, too, but the encoder wants times in order. */
const liveFilters = (isPaced: boolean) =>
  [
    "select='isnan(t)+isnan(prev_selected_t)+lt(t,prev_selected_t)+gte(t-prev_selected_t,0.199)'",
    squarePixels,
    `scale='min(${maxLiveWidth},iw)':-2`,
    ...(isPaced ? ["realtime"] : []),
    `setpts=N/${framesPerSecond}/TB`,
  ].join(",");

/** ffmpeg's parameters to write frames for a live view. What arrives in bursts is paced by the times of its frames. */
export const liveParameters = (input: readonly string[], isPaced: boolean): readonly string[] =>
  frameParameters(input, "", [
    "-vf",
    liveFilters(isPaced),
    ...`-fps_mode passthrough -enc_time_base 1:${framesPerSecond} -q:v 5`.split(" "),
  ]);

/** Where the times of frames jump, as where a playlist begins anew, each frame follows the one before all the same. */
const steadyTime = "if(N,PREV_OUTDTS+if(between(DTS-PREV_INDTS,0,10/TB),DTS-PREV_INDTS,PREV_INDURATION),DTS)";

/**
 * ffmpeg's parameters to write the video's packets as they come, as MP4 in fragments of a fifth of a second. Each key
 * frame begins one. A fragment of a camera whose clock stands still ends by its size.
 */
export const copyParameters: readonly string[] = [
  ..."-v error -nostdin".split(" "),
  ...scriptInput,
  ...`-map 0:v:0 -c copy -bsf:v setts=dts='${steadyTime}':pts='${steadyTime}+PTS-DTS'`.split(" "),
  ..."-map_metadata -1 -f mp4 -use_editlist 0 -flush_packets 1".split(" "),
  ..."-movflags delay_moov+default_base_moof+frag_keyframe -frag_duration 200000 -frag_size 1000000".split(
    " ",
  ),
  "pipe:1",
];
