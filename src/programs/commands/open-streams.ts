import { serveFeed } from "../../features/camera-feed/feed-process.js";

serveFeed();
