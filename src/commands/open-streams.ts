import { serveFeed } from "../feed/feed-process.js";

serveFeed();
