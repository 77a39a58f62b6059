import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import java.util.List;

/** A server with MongoDB's protocol for tests: TestMongo PORT FILE. Prints its port when it listens. */
class TestMongo {
  /** The driver asks for wire version 9, one more than the newest that the library calls itself. */
  record Spoken(List<Integer> getVersionArray, int getWireVersion) implements MongoVersion {}

  public static void main(String[] arguments) throws Exception {
    var backend = new H2Backend(arguments[1]);
    var server = new MongoServer(backend.version(new Spoken(List.of(4, 4, 0), 9)));
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening " + server.getLocalAddress().getPort());
    // Ends with whoever started it, however that one ended.
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
